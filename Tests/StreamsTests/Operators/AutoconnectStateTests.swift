import StreamsFixtures
import Testing

@testable import Streams

@Suite("Rounds, runs and connections of autoconnect", .leakFree)
struct AutoconnectStateTests {
  private let connection = CountingSubscription()

  /// A state with so many subscribers that came to a run, connected, and their places.
  private func connected(
    _ count: Int, run: Int?
  ) throws -> (AutoconnectState, [AutoconnectState.Place]) {
    var state = AutoconnectState()
    let places = try (0..<count).map { _ in
      let place = try #require(state.enter(run).place)
      state.settle(place)
      return place
    }
    if case .connect(let round) = state.next() { _ = state.keep(connection, for: round) }
    state.isConnecting = false
    return (state, places)
  }

  /// The next step of a state.
  private func step(_ state: inout AutoconnectState) -> String {
    switch state.next() {
    case .connect(let round): "connect \(round)"
    case .disconnect(let connection): connection is CountingSubscription ? "disconnect" : "other"
    case nil: "nothing"
    }
  }

  /// What a departure asks for.
  private func word(_ departure: AutoconnectState.Departure) -> String {
    switch departure {
    case .none: "none"
    case .ended(let connection): connection is CountingSubscription ? "ended" : "ended without"
    case .left: "left"
    case .leftConnecting(let connection):
      connection is CountingSubscription ? "left connecting" : "other"
    }
  }

  @Test(
    "Successive subscribers share a round, and the last to leave takes the connection",
    arguments: [nil, 1] as [Int?])
  func lastLeaves(run: Int?) throws {
    var (state, places) = try connected(2, run: run)
    let third = state.enter(run)
    places.append(try #require(third.place))
    state.settle(places[2])
    #expect(places[2].round == 1 && third.released == nil && state.subscribers == 3)
    let again = step(&state)
    #expect(again == "nothing")
    let words = (places + [places[2]]).map { word(state.leave($0)) }
    #expect(words == ["none", "none", "left", "none"])
    #expect(state.connection == nil && state.subscribers == 0)
    let next = state.enter(run)
    #expect(next.place?.round == 2)
    // The old connection is ended before the next one is made.
    let steps = [step(&state), step(&state)]
    #expect(steps == ["disconnect", "connect 2"])
  }

  @Test("Leaving or ending a round that is over changes nothing")
  func oldRound() throws {
    var (state, _) = try connected(1, run: 1)
    let stranger = AutoconnectState.Place(number: 7, round: 2)
    let words = [word(state.leave(stranger)), word(state.end(stranger))]
    #expect(words == ["none", "none"])
    #expect(state.subscribers == 1 && !state.hasRunEnded && state.connection != nil)
  }

  @Test("A late subscriber of the current or an earlier run is not counted")
  func late() throws {
    var (state, places) = try connected(1, run: 2)
    let before = state.enter(1)
    #expect(before.place == nil && state.subscribers == 1)
    let ended = word(state.end(places[0]))
    #expect(ended == "ended" && state.subscribers == 0 && state.hasRunEnded)
    let late = state.enter(2)
    #expect(late.place == nil && late.released == nil && state.subscribers == 0)
    let next = state.enter(3)
    #expect(next.place?.round == 2 && next.released == nil && state.subscribers == 1)
    let beside = state.enter(3)
    #expect(beside.place?.round == 2 && state.subscribers == 2)
    let old = state.enter(2)
    #expect(old.place == nil && state.subscribers == 2)
  }

  @Test("A later run hands over the connection and does not count earlier subscribers")
  func laterRun() throws {
    var (state, places) = try connected(2, run: 1)
    let next = state.enter(2)
    #expect(next.place?.round == 2 && next.released is CountingSubscription)
    #expect(state.subscribers == 1)
    let old = word(state.leave(places[0]))
    #expect(old == "none" && state.subscribers == 1)
    let due = step(&state)
    #expect(due == "connect 2")
  }

  @Test("A connection without waiting subscribers is not kept")
  func tooLate() throws {
    var state = AutoconnectState()
    let first = try #require(state.enter(nil).place)
    state.settle(first)
    let connect = step(&state)
    #expect(connect == "connect 1")
    let left = word(state.leave(first))
    let isKept = state.keep(connection, for: 1)
    state.isConnecting = false
    #expect(left == "none" && !isKept && state.connection == nil)
    let idle = step(&state)
    #expect(idle == "nothing")
    _ = state.enter(nil)
    let due = step(&state)
    #expect(due == "connect 2")
    let isOldKept = state.keep(connection, for: 1)
    let isNewKept = state.keep(connection, for: 2)
    #expect(!isOldKept && isNewKept && state.connection != nil)
  }

  @Test("Who leaves a connection that is being made ends it, and the next one is made after that")
  func leftConnecting() throws {
    var state = AutoconnectState()
    let first = try #require(state.enter(1).place)
    _ = step(&state)
    _ = state.keep(connection, for: 1)
    let left = word(state.leave(first))
    #expect(left == "left connecting" && state.connection == nil && state.isCancelling)
    _ = state.enter(1)
    state.isConnecting = false
    let early = step(&state)
    state.isCancelling = false
    let due = step(&state)
    #expect(early == "nothing" && due == "connect 2")
  }

  @Test("C-11: a subscriber whose round ends while it is attached counts anew, without its end")
  func moved() throws {
    var (state, places) = try connected(1, run: nil)
    let second = try #require(state.enter(nil).place)
    _ = state.end(places[0])
    state.settle(second)
    let due = step(&state)
    #expect(state.subscribers == 1 && due == "connect 2")
    _ = state.keep(connection, for: 2)
    state.isConnecting = false
    // The end was that of the first round after all.
    let end = word(state.end(second))
    #expect(end == "left" && state.subscribers == 0 && state.moved.isEmpty)
  }

  @Test(
    "C-11: a subscriber that has its end, or leaves, while it is attached does not count anew",
    arguments: [true, false])
  func endedArriving(isEnd: Bool) throws {
    var (state, places) = try connected(1, run: nil)
    let second = try #require(state.enter(nil).place)
    _ = state.end(places[0])
    _ = isEnd ? state.end(second) : state.leave(second)
    state.settle(second)
    let idle = step(&state)
    #expect(state.subscribers == 0 && idle == "nothing" && state.arriving.isEmpty)
  }
}
