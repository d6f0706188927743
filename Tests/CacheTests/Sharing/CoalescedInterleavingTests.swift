import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("Shared exchanges in thousands of orders", .leakFree)
struct CoalescedInterleavingTests {
  private static let seeds: Range<UInt64> = 0..<3_000

  /// Callers of two resources who come, ask, go and come again, and a server that takes its time.
  private final class Story: Sendable {
    struct RecordedExchange: Sendable {
      let path: String
      let begin: Int
      var end: Int?
    }

    struct Caller: Sendable {
      let path: String
      let begin: Int
      let subscriber: TestSubscriber<RESTResponse, any Error>
      var isCancelled = false
    }

    struct State: Sendable {
      var step = 0
      var exchanges: [RecordedExchange] = []
      var callers: [Caller] = []
      var faults: [String] = []
      var generator: SeededGenerator
    }

    let scheduler: TestScheduler
    let coalescer = RequestCoalescer()
    let state: Lock<State>

    init(_ scheduler: TestScheduler) {
      self.scheduler = scheduler
      state = Lock(State(generator: SeededGenerator(seed: scheduler.seed ?? 0)))
    }

    func draw(_ range: Range<Int>) -> Int {
      state.withLock { Int.random(in: range, using: &$0.generator) }
    }

    var transport: HeldTransport {
      HeldTransport(
        onRequest: { [self] transport, place in
          begin(transport.paths[place])
          let isFailure = draw(0..<5) == 0
          _ = scheduler.schedule(after: .milliseconds(draw(0..<6))) { [self] in
            end(place)
            if isFailure { transport.fail(place) } else { transport.answer(place) }
          }
        }, onCancel: { [self] place in end(place) })
    }

    func begin(_ path: String) {
      state.withLock { state in
        state.step += 1
        if state.exchanges.contains(where: { $0.path == path && $0.end == nil }) {
          state.faults.append("two exchanges of \(path) at once")
        }
        state.exchanges.append(RecordedExchange(path: path, begin: state.step))
      }
    }

    func end(_ place: Int) {
      state.withLock { state in
        state.step += 1
        state.exchanges[place].end = state.exchanges[place].end ?? state.step
      }
    }

    func call(_ api: TestAPI, again: Int) {
      let path = ["a", "b"][draw(0..<2)]
      let mayComeAgain = again > 0 && draw(0..<3) == 0
      let subscriber = TestSubscriber<RESTResponse, any Error>(
        demand: draw(0..<4) == 0 ? .none : .unlimited
      ) { [self] _, _ in
        if mayComeAgain { call(api, again: again - 1) }
        return .none
      }
      let place = state.withLock { state in
        state.step += 1
        state.callers.append(Caller(path: "/\(path)", begin: state.step, subscriber: subscriber))
        return state.callers.count - 1
      }
      api.get(endpoint: path).coalesced(in: coalescer).receive(subscriber: subscriber)
      if draw(0..<3) == 0 {
        _ = scheduler.schedule(after: .milliseconds(draw(0..<8))) { [self] in cancel(place) }
      }
      _ = scheduler.schedule(after: .milliseconds(draw(0..<12))) { subscriber.request(.max(1)) }
    }

    func cancel(_ place: Int) {
      let subscriber = state.withLock { state in
        let caller = state.callers[place]
        if caller.subscriber.completions.isEmpty { state.callers[place].isCancelled = true }
        return caller.subscriber
      }
      subscriber.cancel()
    }

    func check() throws {
      // A caller's closure holds this object.
      let state = state.withLock { state in
        defer { state.callers = [] }
        return state
      }
      try demand(state.faults.isEmpty, "\(state.faults)")
      try demand(state.exchanges.allSatisfy { $0.end != nil }, "an exchange is left")
      for (number, caller) in state.callers.enumerated() {
        let subscriber = caller.subscriber
        let ends = subscriber.completions.count
        try demand(
          ends == (caller.isCancelled ? 0 : 1), "caller \(number) of \(caller.path): \(ends) ends")
        try demand(subscriber.values.count <= 1, "caller \(number) got several")
        try demand(subscriber.overlaps == 0 && subscriber.unaskedCount == 0, "\(number) overrun")
        guard let response = subscriber.values.first else { continue }
        let place = Int(String(decoding: response.data, as: UTF8.self)) ?? -1
        let exchange = state.exchanges[place]
        try demand(exchange.path == caller.path, "caller \(number) got \(exchange.path)")
        try demand(
          (exchange.end ?? 0) > caller.begin, "caller \(number) got what was over when he came")
      }
    }
  }

  @Test("One exchange runs at a time, each caller ends once, and no response predates its caller")
  func orders() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let story = Story(scheduler)
      let api = TestAPI(baseURL: "https://api.example.com", transport: story.transport)
      for _ in 0..<story.draw(2..<9) {
        _ = scheduler.schedule(after: .milliseconds(story.draw(0..<10))) {
          story.call(api, again: 2)
        }
      }
      scheduler.run()
      try story.check()
    }
  }
}
