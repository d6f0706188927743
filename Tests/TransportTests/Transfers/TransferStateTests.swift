import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The queue of a transfer")
struct TransferStateTests {
  private typealias Downstream = TestSubscriber<TransferEvent, any Error>
  private typealias State = TransferState<Downstream>

  private func makeState() -> State {
    State(downstream: Downstream(demand: .none), canPause: false)
  }

  private func sizeOfEvent(in state: inout State) -> Int? {
    guard case .event(.chunk(let data), _) = state.next() else { return nil }
    return data.count
  }

  private func isIdle(_ state: inout State) -> Bool {
    if case nil = state.next() { true } else { false }
  }

  @Test("The engine is paused beyond 128 KiB of waiting bytes, and not at 128 KiB")
  func mark() {
    var state = makeState()
    state.append(.chunk(Data(count: 128 << 10)))
    #expect(state.flow() == .more)
    state.append(.chunk(Data(count: 1)))
    #expect(state.flow() == .pause)
    state.demand += 1
    #expect(sizeOfEvent(in: &state) == 128 << 10)
    #expect(state.flow() == .more)
  }

  @Test("An event that is not a chunk counts as 512 bytes")
  func markOfProgress() {
    var state = makeState()
    let progress = TransferProgress(completedBytes: 1, totalBytes: nil)
    for _ in 0..<256 { state.append(.sent(progress)) }
    #expect(state.flow() == .more)
    state.append(.chunk(Data(count: 1)))
    #expect(state.flow() == .pause)
  }

  @Test("Each event uses one demand, and one event is delivered at a time")
  func demand() {
    var state = makeState()
    for count in 1...3 { state.append(.chunk(Data(count: count))) }
    #expect(isIdle(&state))
    state.demand += 2
    #expect(sizeOfEvent(in: &state) == 1)
    #expect(sizeOfEvent(in: &state) == nil)
    state.delivered(.none)
    #expect(sizeOfEvent(in: &state) == 2)
    state.delivered(.none)
    #expect(isIdle(&state))
    state.delivered(.max(1))
    #expect(sizeOfEvent(in: &state) == 3)
  }

  @Test("A paused engine is resumed once, when no event waits")
  func resume() {
    var state = makeState()
    state.call = EngineCall(completion: { _ in }) { _ in }
    state.append(.chunk(Data(count: 200 << 10)))
    state.append(.chunk(Data(count: 1)))
    #expect(state.flow() == .pause)
    state.demand = .unlimited
    #expect(sizeOfEvent(in: &state) == 200 << 10)
    state.delivered(.none)
    #expect(sizeOfEvent(in: &state) == 1)
    state.delivered(.none)
    guard case .resume = state.next() else {
      Issue.record("nobody resumes it")
      return
    }
    state.delivered(.none)
    #expect(isIdle(&state))
  }

  @Test("An engine that was not paused is not resumed")
  func notPaused() {
    var state = makeState()
    state.call = EngineCall(completion: { _ in }) { _ in }
    state.demand = .unlimited
    #expect(isIdle(&state))
    state.append(.chunk(Data(count: 1)))
    #expect(sizeOfEvent(in: &state) == 1)
    state.delivered(.none)
    #expect(isIdle(&state))
  }

  @Test("While the engine is being resumed, nothing is delivered")
  func resuming() {
    var state = makeState()
    state.call = EngineCall(completion: { _ in }) { _ in }
    state.demand = .unlimited
    state.append(.chunk(Data(count: 200 << 10)))
    #expect(state.flow() == .pause)
    #expect(sizeOfEvent(in: &state) == 200 << 10)
    state.delivered(.none)
    guard case .resume = state.next() else {
      Issue.record("nobody resumes it")
      return
    }
    state.append(.chunk(Data(count: 1)))
    #expect(isIdle(&state))
    state.delivered(.none)
    #expect(sizeOfEvent(in: &state) == 1)
  }

  @Test("The end waits for the events before it, and needs no demand")
  func end() {
    var state = makeState()
    state.append(.chunk(Data(count: 1)))
    state.end = .finished
    #expect(isIdle(&state))
    state.demand += 1
    #expect(sizeOfEvent(in: &state) == 1)
    state.delivered(.none)
    guard case .end(.finished, _) = state.next() else {
      Issue.record("it does not end")
      return
    }
    state.append(.chunk(Data(count: 1)))
    state.demand = .unlimited
    #expect(isIdle(&state))
  }
}
