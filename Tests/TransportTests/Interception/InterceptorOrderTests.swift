import Fixtures
import Foundation
import RESTKitReports
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Where a step of one's own stands, and how it is cancelled", .timeLimit(.minutes(10)))
struct InterceptorOrderTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  private static let url = "https://api.example.com/a"

  private func begin(_ publisher: some Publisher<RESTResponse, any Error>) -> Subscriber {
    let subscriber = Subscriber()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  private func request() throws -> URLRequest {
    URLRequest(url: try #require(URL(string: Self.url)))
  }

  // MARK: Order

  @Test("The step that is applied first sees the request last, and the response first")
  func order() throws {
    let log = ValueLog<String>()
    func step(_ name: String) -> InterceptedTransport.Step {
      { exchange in
        log.add(name)
        exchange.request.setValue(
          (exchange.request.value(forHTTPHeaderField: "X-Steps") ?? "") + name,
          forHTTPHeaderField: "X-Steps")
        exchange.onHead { _ in log.add("\(name) head") }
        exchange.onEnd { _ in log.add("\(name) end") }
      }
    }
    let stubs = StubTransport(.get, Self.url)
    let transport = stubs.intercepted(by: step("first")).intercepted(by: step("second"))
    _ = begin(transport.response(for: try request()))
    #expect(
      log.all == [
        "second", "first", "first head", "first end", "second head", "second end",
      ])
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "X-Steps") == "secondfirst")
    try stubs.verify()
  }

  @Test("A step that awaits nothing costs no task: its response is there with the subscription")
  func atOnce() throws {
    let stubs = StubTransport(.get, Self.url)
    let transport = stubs.intercepted { $0.request.setValue("1", forHTTPHeaderField: "X") }
    let call = begin(transport.response(for: try request()))
    #expect(call.isFinished)
    try stubs.verify()
  }

  @Test("Nothing runs before a subscription, and each subscription is an exchange", .leakFree)
  func lazy() async throws {
    let count = Counter()
    let transport = ClosureTransport { .status(200, to: $0) }.intercepted { _ in
      await Task.yield()
      count.add()
    }
    let response = transport.response(for: try request())
    #expect(count.value == 0)
    for _ in 0..<2 { _ = try await response.value }
    #expect(count.value == 2)
  }

  @Test("An invalid request of a step is refused by the transport", .leakFree)
  func invalid() async throws {
    let transport = ClosureTransport { .status(200, to: $0) }.intercepted {
      $0.request.setValue("1", forHTTPHeaderField: "Content-Length")
    }
    let error = try await restError(of: transport.response(for: try request()))
    #expect(error.kind == .invalidRequest)
  }

  // MARK: Cancellation

  /// Ends with the task that waits for it only.
  private let never = AsyncStream<Void>.makeStream()

  @Test("A cancel ends a step that awaits, and nothing is sent", .leakFree)
  func cancel() async throws {
    let (begun, ended) = (AsyncStream<Void>.makeStream(), AsyncStream<Bool>.makeStream())
    let (stubs, log) = (StubTransport(), ValueLog<String>())
    let transport = stubs.intercepted { [never] exchange in
      exchange.onEnd { log.add("\($0)") }
      begun.continuation.finish()
      for await _ in never.stream {}
      ended.continuation.yield(Task.isCancelled)
      // The step goes on although nobody waits for it.
      exchange.onEnd { log.add("late \($0)") }
      exchange.request.setValue("1", forHTTPHeaderField: "X")
      ended.continuation.finish()
    }
    let call = begin(transport.response(for: try request()))
    for await _ in begun.stream {}
    call.cancel()
    #expect(log.all == ["cancelled"])
    var wasCancelled = [Bool]()
    for await isCancelled in ended.stream { wasCancelled.append(isCancelled) }
    #expect(wasCancelled == [true])
    #expect(log.all == ["cancelled", "late cancelled"])
    #expect(call.signals.count == 1)
    #expect(stubs.requests.isEmpty)
  }

  @Test("A cancel behind the step ends the exchange", .leakFree)
  func cancelExchange() async throws {
    let sent = AsyncStream<Void>.makeStream()
    let held = HeldTransport(onRequest: { _, _ in sent.continuation.finish() })
    let transport = held.intercepted { _ in await Task.yield() }
    let call = begin(transport.response(for: try request()))
    for await _ in sent.stream {}
    // The transport runs on a queue, and holds the request shortly before its subscription is.
    call.cancel()
    #expect(call.signals.count == 1)
    held.answer(0)
    #expect(call.signals.count == 1)
  }

  @Test("A step that awaits runs without demand, and its response waits for it", .leakFree)
  func demand() async throws {
    let sent = AsyncStream<Void>.makeStream()
    let held = HeldTransport(onRequest: { _, _ in sent.continuation.finish() })
    let transport = held.intercepted { _ in await Task.yield() }
    let call = Subscriber(demand: .none)
    transport.response(for: try request()).receive(subscriber: call)
    for await _ in sent.stream {}
    held.answer(0)
    #expect(call.values.isEmpty)
    call.request(.max(1))
    #expect(call.values.map(\.statusCode) == [200])
  }

  // MARK: Identity

  @Test("Calls over two interceptions share no exchange, and those over one do", .leakFree)
  func sharing() throws {
    let (held, coalescer) = (HeldTransport(), RequestCoalescer())
    let users = ["rex", "ann"].map { user in
      TestAPI(
        baseURL: TestAPI.origin,
        transport: held.intercepted { $0.request.setValue(user, forHTTPHeaderField: "X-User") },
        coalescer: coalescer)
    }
    let calls = (users + users).map { begin($0.get(endpoint: "a")) }
    #expect(
      held.requests.map { $0.value(forHTTPHeaderField: "X-User") } == ["rex", "ann"])
    held.answerAll()
    let bodies = calls.map { $0.values.map { String(decoding: $0.data, as: UTF8.self) } }
    #expect(bodies == [["0"], ["1"], ["0"], ["1"]])
    #expect(users[0].transport.identity != users[1].transport.identity)
    #expect(users[0].transport.identity != held.identity)
  }

  @Test("The limits, the observer and the cache's hits are those of the transport behind")
  func forwarding() async throws {
    var limits = TransportLimits()
    limits.bodyBytes = 7
    let recorder = HARRecorder(
      ClosureTransport(limits: limits) {
        .status(200, headers: ["Cache-Control": "max-age=100"], to: $0)
      })
    let observed = ObservedTransport(recorder)
    let count = Counter()
    let transport = observed.intercepted { _ in count.add() }
    #expect(transport.limits.bodyBytes == 7)
    #expect(transport.observer === observed.observer)
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport, cache: HTTPCache())
    for _ in 0..<2 { _ = try await api.get(endpoint: "a").value }
    #expect(recorder.har.entries.count == 2)
    #expect(count.value == 1)
  }

  #if os(Linux)
    // A task of a step waits behind all tests that run at the same time.
    @Test("A step breaks no rule of the transport's", arguments: [true, false])
    func conformance(isAtOnce: Bool) async throws {
      let report = try await TransportConformance("InterceptedTransport") { limits in
        let transport = try CurlTransport(limits: limits)
        let step: InterceptedTransport.Step = { exchange in
          exchange.onHead { _ in }
          exchange.onEnd { _ in }
        }
        guard !isAtOnce else { return transport.intercepted(by: step) }
        return transport.intercepted { exchange in
          await Task.yield()
          try step(&exchange)
        }
      }.waiting(.seconds(300)).check()
      #expect(report.kept == TransportRule.allCases)
    }
  #endif
}
