import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("The turns of a relay", .leakFree)
struct RelayTurnsTests {
  /// The state of one turn.
  private enum Standing { case nobody, awaited, open }

  private func standing(_ turn: Int, _ turns: borrowing RelayTurns) -> Standing {
    turns.isOpen(turn) ? .open : turns.isInCharge(turn) ? .awaited : .nobody
  }

  @Test("A turn is awaited, then open, then over, and its number is not reused")
  func order() {
    let turns = RelayTurns()
    var former: [Int] = []
    for _ in 0..<3 {
      let turn = turns.begin()
      #expect(!former.contains(turn))
      #expect(standing(turn, turns) == .awaited)
      #expect(turns.violation(ofValueIn: turn) == .valueBeforeSubscription)
      let opened = [turns.open(turn), turns.open(turn)]
      #expect(opened == [true, false])
      #expect(standing(turn, turns) == .open)
      let ended = [turns.end(turn), turns.end(turn)]
      #expect(ended == [true, false])
      former.append(turn)
      for turn in former {
        let reopened = turns.open(turn)
        #expect(!reopened)
        #expect(standing(turn, turns) == .nobody)
        #expect(turns.violation(ofValueIn: turn) == .valueAfterEnd)
      }
    }
  }

  @Test("The current turn can be ended in any state", arguments: [false, true])
  func endCurrent(isOpen: Bool) {
    let turns = RelayTurns()
    turns.endCurrent()
    let first = turns.begin()
    if isOpen { _ = turns.open(first) }
    #expect(standing(first, turns) == (isOpen ? .open : .awaited))
    turns.endCurrent()
    turns.endCurrent()
    let second = turns.begin()
    #expect(second != first)
    #expect(standing(first, turns) == .nobody)
    #expect(standing(second, turns) == .awaited)
    // One that ends before it is open is followed by the next all the same.
    let ended = turns.end(second)
    let third = turns.begin()
    #expect(ended && third != second)
    #expect(standing(second, turns) == .nobody)
    #expect(standing(third, turns) == .awaited)
  }

  @Test(
    "The current turn can be ended after any number of turns, and no number is reused",
    arguments: 0..<5, [false, true])
  func endCurrentLater(former: Int, isOpen: Bool) {
    let turns = RelayTurns()
    var last = 0
    for _ in 0..<former {
      let turn = turns.begin()
      #expect(turn > last)
      _ = turns.open(turn)
      _ = turns.end(turn)
      last = turn
    }
    let current = turns.begin()
    #expect(current > last)
    if isOpen { _ = turns.open(current) }
    turns.endCurrent()
    #expect(standing(current, turns) == .nobody)
    let next = turns.begin()
    #expect(next > current)
  }
}
