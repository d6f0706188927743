import StreamsFixtures
import Testing

@testable import Streams

@Suite("Rounds, runs and connections of autoconnect", .leakFree)
struct AutoconnectStateTests {
  private let connection = CountingSubscription()

  /// A state with so many subscribers that came to a run, connected.
  private func connected(_ count: Int, run: Int?) -> AutoconnectState {
    var state = AutoconnectState()
    for _ in 0..<count { _ = state.enter(run) }
    if case .connect(let round) = state.next() { _ = state.keep(connection, for: round) }
    return state
  }

  /// The next step of a state.
  private func step(_ state: inout AutoconnectState) -> String {
    switch state.next() {
    case .connect(let round): "connect \(round)"
    case .disconnect(let connection): connection is CountingSubscription ? "disconnect" : "other"
    case nil: "nothing"
    }
  }

  @Test(
    "Successive subscribers share a round, and the last to leave takes the connection",
    arguments: [nil, 1] as [Int?])
  func lastLeaves(run: Int?) {
    var state = connected(2, run: run)
    let third = state.enter(run)
    #expect(third.round == 1 && third.released == nil && state.subscribers == 3)
    let again = step(&state)
    #expect(again == "nothing")
    let leavings = [state.leave(1), state.leave(1), state.leave(1), state.leave(1)]
    #expect(leavings == [false, false, true, false])
    #expect(state.connection == nil && state.subscribers == 0)
    let next = state.enter(run)
    #expect(next.round == 2)
    // The old connection is ended before the next one is made.
    let steps = [step(&state), step(&state)]
    #expect(steps == ["disconnect", "connect 2"])
  }

  @Test("Leaving or ending a round that is over changes nothing")
  func oldRound() {
    var state = connected(1, run: 1)
    let stranger = (state.leave(nil), state.leave(2), state.end(2))
    #expect(!stranger.0 && !stranger.1 && stranger.2 == nil)
    #expect(state.subscribers == 1 && !state.hasRunEnded && state.connection != nil)
  }

  @Test("A late subscriber of the current or an earlier run is not counted")
  func late() {
    var state = connected(1, run: 2)
    let before = state.enter(1)
    #expect(before.round == nil && state.subscribers == 1)
    let ended = state.end(1)
    #expect(ended is CountingSubscription && state.subscribers == 0 && state.hasRunEnded)
    let late = state.enter(2)
    #expect(late.round == nil && late.released == nil && state.subscribers == 0)
    let next = state.enter(3)
    #expect(next.round == 2 && next.released == nil && state.subscribers == 1)
    let beside = state.enter(3)
    #expect(beside.round == 2 && state.subscribers == 2)
    let old = state.enter(2)
    #expect(old.round == nil && state.subscribers == 2)
  }

  @Test("A later run hands over the connection and does not count earlier subscribers")
  func laterRun() {
    var state = connected(2, run: 1)
    let next = state.enter(2)
    #expect(next.round == 2 && next.released is CountingSubscription && state.subscribers == 1)
    let old = state.leave(1)
    #expect(!old && state.subscribers == 1)
    let due = step(&state)
    #expect(due == "connect 2")
  }

  @Test("A connection without waiting subscribers is not kept")
  func tooLate() {
    var state = AutoconnectState()
    _ = state.enter(nil)
    let first = step(&state)
    #expect(first == "connect 1")
    let hasConnection = state.leave(1)
    let isKept = state.keep(connection, for: 1)
    #expect(!hasConnection && !isKept && state.connection == nil)
    let idle = step(&state)
    #expect(idle == "nothing")
    _ = state.enter(nil)
    let due = step(&state)
    #expect(due == "connect 2")
    let isOldKept = state.keep(connection, for: 1)
    let isNewKept = state.keep(connection, for: 2)
    #expect(!isOldKept && isNewKept && state.connection != nil)
  }
}
