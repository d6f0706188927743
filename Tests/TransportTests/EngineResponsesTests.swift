import Fixtures
import Foundation
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A whole response as a publisher", .leakFree)
struct EngineResponsesTests {
  private typealias Probe = TestSubscriber<RESTResponse, any Error>

  private let engine = HeldEngine()

  private func subscribe(_ probe: Probe, url: String = "http://127.0.0.1/a") throws {
    let url = try #require(URL(string: url))
    engine.response(for: URLRequest(url: url)).receive(subscriber: probe)
  }

  @Test("The response is delivered where the engine completes, and the end follows")
  func response() throws {
    let probe = Probe()
    try subscribe(probe)
    #expect(probe.signals.count == 1)
    engine.answer(200)
    #expect(probe.values.map(\.statusCode) == [200])
    #expect(probe.completions.count == 1)
    #expect(probe.signals.count == 3)
  }

  @Test("A response waits for demand")
  func demand() throws {
    let probe = Probe(demand: .none)
    try subscribe(probe)
    engine.answer(200)
    probe.request(.none)
    #expect(probe.signals.count == 1)
    probe.request(.max(1))
    #expect(probe.values.count == 1)
    #expect(probe.completions.count == 1)
  }

  @Test("A failure does not wait for demand")
  func failure() throws {
    let probe = Probe(demand: .none)
    try subscribe(probe)
    engine.end(
      .failure(
        TransportError(kind: .connectionReset, detail: "gone", mayHaveBeenProcessed: true)))
    #expect(kind(of: probe) == .transport(.connectionReset))
  }

  @Test("An invalid request fails without a call of the engine")
  func refused() throws {
    let probe = Probe(demand: .none)
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
    request.httpBodyStream = InputStream(data: Data())
    engine.response(for: request).receive(subscriber: probe)
    #expect(kind(of: probe) == .invalidRequest)
    #expect(engine.started == 0)
  }

  @Test("A cancel ends the call, and nothing arrives after it")
  func cancel() throws {
    let probe = Probe()
    try subscribe(probe)
    probe.cancel()
    #expect(engine.cancelled == 1)
    engine.answer(200)
    probe.cancel()
    #expect(probe.signals.count == 1)
    #expect(engine.cancelled == 1)
  }

  @Test("A cancel while a response waits drops it")
  func cancelWhileWaiting() throws {
    let probe = Probe(demand: .none)
    try subscribe(probe)
    engine.answer(200)
    probe.cancel()
    probe.request(.max(1))
    #expect(probe.signals.count == 1)
  }

  @Test("A cancel during receive(subscription:) does not call the engine")
  func cancelAtOnce() throws {
    let cancelling = AnySubscriber<RESTResponse, any Error>(
      receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
      receiveCompletion: { _ in })
    let url = try #require(URL(string: "http://127.0.0.1/"))
    engine.response(for: URLRequest(url: url))
      .receive(subscriber: cancelling)
    #expect(engine.started == 0)
  }

  @Test("A cancel while the engine starts its call cancels the call, whole or in pieces")
  func cancelDuringStart() throws {
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
    let whole = Probe()
    let pieces = TestSubscriber<TransferEvent, any Error>()
    let cancelling = HeldEngine { [weak whole, weak pieces] in
      whole?.cancel()
      pieces?.cancel()
    }
    cancelling.response(for: request).receive(subscriber: whole)
    #expect((cancelling.started, cancelling.cancelled) == (1, 1))
    cancelling.events(for: request, body: nil).receive(subscriber: pieces)
    #expect((cancelling.started, cancelling.cancelled) == (2, 2))
    cancelling.answer(200)
    #expect(whole.signals.count == 1 && pieces.signals.count == 1)
  }

  @Test("A subscription cancelled during its value does not finish")
  func cancelInside() throws {
    let probe = Probe { probe, _ in
      probe.cancel()
      return .none
    }
    try subscribe(probe)
    engine.answer(200)
    #expect(probe.values.count == 1)
    #expect(probe.completions.isEmpty)
  }

  @Test("After its end, a subscription releases the call, the subscriber and the response")
  func released() throws {
    let freed = Counter()
    let completed = Counter()
    let held = Mutex<(any Subscription)?>(nil)
    weak var token: Token?
    do {
      let mine = Token()
      token = mine
      let subscriber = AnySubscriber<RESTResponse, any Error>(
        receiveSubscription: { subscription in
          held.withLock { $0 = subscription }
          subscription.request(.unlimited)
        },
        receiveValue: { _ in .none },
        receiveCompletion: { _ in withExtendedLifetime(mine) { completed.add() } })
      let url = try #require(URL(string: "http://127.0.0.1/a"))
      engine.response(for: URLRequest(url: url))
        .receive(subscriber: subscriber)
    }
    #expect(token != nil)
    weak var call: EngineCall?
    call = engine.lastCall
    #expect(call != nil)
    engine.answer(200, body: .watched(freed))
    #expect(completed.value == 1)
    #expect(freed.value == 1)
    #expect(token == nil)
    #expect(call == nil)
    held.withLock { $0 }?.cancel()
    held.withLock { $0 = nil }
  }

  private final class Token: Sendable {}

  @Test("Each subscription is a call of its own")
  func anew() throws {
    let (one, other) = (Probe(), Probe())
    try subscribe(one)
    try subscribe(other)
    #expect(engine.started == 2)
    engine.answer(204)
    #expect(one.values.count + other.values.count == 2)
  }

  private func kind(of probe: Probe) -> RESTError.Kind? {
    guard case .failure(let error)? = probe.completion else { return nil }
    return (error as? RESTError)?.kind
  }
}

/// An engine whose calls end when a test says so.
private final class HeldEngine: HTTPEngine {
  private struct State {
    var calls: [EngineCall] = []
    var started = 0
    var cancelled = 0
  }

  private let state = Mutex(State())
  private let onStart: @Sendable () -> Void

  /// - Parameter onStart: Runs while a call is started.
  init(onStart: @escaping @Sendable () -> Void = {}) {
    self.onStart = onStart
  }

  var started: Int { state.withLock { $0.started } }
  var cancelled: Int { state.withLock { $0.cancelled } }
  var lastCall: EngineCall? { state.withLock { $0.calls.last } }
  var sendsBodiesAsTheyCome: Bool { true }

  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall {
    let call = EngineCall(completion: completion) { [weak self] _ in
      self?.state.withLock { $0.cancelled += 1 }
    }
    state.withLock { state in
      state.started += 1
      state.calls.append(call)
    }
    onStart()
    return call
  }

  func resume(_ call: EngineCall) {}

  func shutdown(whenStopped: @escaping @Sendable () -> Void) { whenStopped() }

  /// Ends all calls with a response.
  func answer(_ status: Int, body: Data = Data()) {
    end(
      .success(
        EngineResponse(
          head: EngineHead(status: status, httpVersion: "HTTP/1.1", headers: [:]), trailers: [:],
          body: body, timings: ExchangeMetrics())))
  }

  /// Ends all calls.
  func end(_ result: Result<EngineResponse, TransportError>) {
    let calls = state.withLock { state in
      defer { state.calls = [] }
      return state.calls
    }
    for call in calls { call.complete(result) }
  }
}
