import Testing

@testable import Streams

@Suite("Rounds, runs and connections of autoconnect", .leakFree)
struct AutoconnectStateTests {
  private let connection = CountingSubscription()

  /// A state with so many subscribers that came to a run, connected.
  private func connected(_ count: Int, run: Int?) -> AutoconnectState {
    var state = AutoconnectState()
    for _ in 0..<count { _ = state.enter(run) }
    if let round = state.beginConnecting() { _ = state.keep(connection, for: round) }
    return state
  }

  @Test(
    "Successive subscribers share a round, and the last to leave takes the connection",
    arguments: [nil, 1] as [Int?])
  func lastLeaves(run: Int?) {
    var state = connected(2, run: run)
    let third = state.enter(run)
    #expect(third.round == 1 && third.released == nil && state.subscribers == 3)
    let again = state.beginConnecting()
    #expect(again == nil)
    for _ in 1...2 {
      let none = state.leave(1)
      #expect(none == nil)
    }
    let last = state.leave(1)
    #expect(last is CountingSubscription && state.isBusy && state.subscribers == 0)
    let nobody = state.leave(1)
    #expect(nobody == nil && state.subscribers == 0)
    let next = state.enter(run)
    let early = state.beginConnecting()
    #expect(next.round == 2 && early == nil)
    state.isBusy = false
    let due = state.beginConnecting()
    #expect(due == 2 && state.isBusy)
  }

  @Test("Leaving or ending a round that is over changes nothing")
  func oldRound() {
    var state = connected(1, run: 1)
    let stranger = (state.leave(nil), state.leave(2), state.end(2))
    #expect(stranger.0 == nil && stranger.1 == nil && stranger.2 == nil)
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
    #expect(old == nil && state.subscribers == 1)
    let due = state.beginConnecting()
    #expect(due == 2)
  }

  @Test("A connection without waiting subscribers is not kept")
  func tooLate() {
    var state = AutoconnectState()
    _ = state.enter(nil)
    let rounds = [state.beginConnecting(), state.beginConnecting()]
    #expect(rounds == [1, nil])
    let none = state.leave(1)
    let isKept = state.keep(connection, for: 1)
    #expect(none == nil && !isKept && state.connection == nil && state.isBusy)
    state.isBusy = false
    let idle = state.beginConnecting()
    #expect(idle == nil)
    _ = state.enter(nil)
    let due = state.beginConnecting()
    #expect(due == 2)
    let isOldKept = state.keep(connection, for: 1)
    let isNewKept = state.keep(connection, for: 2)
    #expect(!isOldKept && isNewKept && !state.isBusy && state.connection != nil)
  }
}
