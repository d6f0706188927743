import StreamsFixtures
import StreamsTesting
import Synchronization
import Testing

@testable import Streams

@Suite("The turn to deliver", .leakFree)
struct DeliveryTurnTests {
  /// A way to take the turn and to call for it.
  enum Way: CaseIterable, Sendable {
    case underLock, withoutLock

    func takesOrCalls(_ turn: borrowing DeliveryTurn) -> Bool {
      switch self {
      case .underLock: turn.takeOrCall()
      case .withoutLock: turn.take() || turn.call()
      }
    }
  }

  @Test(
    "One thread gets the turn, and keeps it until it has answered a call", arguments: Way.allCases)
  func call(way: Way) {
    let turn = DeliveryTurn()
    let taken = [way.takesOrCalls(turn), way.takesOrCalls(turn), turn.take()]
    #expect(taken == [true, false, false])
    let early = [turn.giveBack(), turn.giveBack()]
    #expect(early == [false, false])
    turn.answer()
    let again = [turn.giveBack(), turn.giveBack(), way.takesOrCalls(turn)]
    #expect(again == [true, false, true])
  }

  @Test("A call for a free turn takes it, and is answered as any other")
  func callAtOnce() {
    let turn = DeliveryTurn()
    let first = [turn.call(), turn.call(), turn.takeOrCall(), turn.giveBack()]
    #expect(first == [true, false, false, false])
    turn.answer()
    let after = turn.giveBack()
    #expect(after)
  }

  @Test("An end gives the turn back, called or not", arguments: Way.allCases, [false, true])
  func end(way: Way, isCalled: Bool) {
    let turn = DeliveryTurn()
    var taken = [way.takesOrCalls(turn)]
    if isCalled { _ = turn.call() }
    turn.end()
    taken += [turn.giveBack(), way.takesOrCalls(turn)]
    #expect(taken == [true, false, true])
  }

  @Test("Threads with the turn never meet, and leave nothing behind", arguments: Way.allCases)
  func race(way: Way) {
    let table = Table()
    let ends = raceEnds(threads: 3, rounds: 300) { round, thread in
      table.put(3 * round + thread, by: way)
    }
    #expect(ends)
    #expect(table.served.sorted() == Array(0..<900))
    #expect(table.meetings.load(ordering: .relaxed) == 0)
  }
}

/// Things to deliver, which threads put down, and one at a time delivers.
private final class Table: Sendable {
  private let turn = DeliveryTurn()
  private let waiting = Lock<[Int]>([])
  private let delivered = Lock<[Int]>([])
  private let isServing = Atomic<Bool>(false)
  let meetings = Atomic<Int>(0)

  var served: [Int] { delivered.withLock { $0 } }

  func put(_ thing: Int, by way: DeliveryTurnTests.Way) {
    switch way {
    case .underLock:
      let isOurs = waiting.withLock { waiting in
        waiting.append(thing)
        return turn.takeOrCall()
      }
      if isOurs { serve() }
    case .withoutLock:
      if turn.take() {
        deliver([thing])
        if turn.giveBack() { return }
      } else {
        waiting.withLock { $0.append(thing) }
        guard turn.call() else { return }
      }
      serve()
    }
  }

  private func serve() {
    repeat {
      turn.answer()
      deliver(
        waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        })
    } while !turn.giveBack()
  }

  private func deliver(_ things: [Int]) {
    if isServing.exchange(true, ordering: .relaxed) { meetings.add(1, ordering: .relaxed) }
    delivered.withLock { $0 += things }
    isServing.store(false, ordering: .relaxed)
  }
}
