import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The reports of an observed transport", .timeLimit(.minutes(10)))
struct ObservedTransportTests {
  private static let url = "https://api.example.com/v1/a"

  /// Exchanges from any thread, in order.
  private final class Journal: Sendable {
    private let state = Mutex<[Exchange]>([])
    var exchanges: [Exchange] { state.withLock { $0 } }
    func add(_ exchange: Exchange) { state.withLock { $0.append(exchange) } }
  }

  @Test("Each exchange is reported once: request, status and duration")
  func success() throws {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(7))
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url), statusCode: 404, delay: .milliseconds(250)),
      scheduler: scheduler)
    let journal = Journal()
    let api = TestAPI(
      transport: ObservedTransport(stubs, clock: scheduler) { journal.add($0) })
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a", query: [URLQueryItem(name: "k", value: "canary")])
      .receive(subscriber: subscriber)
    #expect(journal.exchanges.isEmpty)
    scheduler.advance(by: .seconds(1))
    let exchange = try #require(journal.exchanges.first)
    #expect(journal.exchanges.count == 1)
    #expect(exchange.request.description == "GET \(Self.url)")
    #expect(try exchange.outcome.get() == 404)
    #expect(exchange.duration == .milliseconds(250))
    #expect("\(exchange)" == "GET /v1/a → 404 in 250 ms")
    for text in allTexts(of: exchange) { #expect(!text.contains("canary")) }
    #expect(subscriber.values.count == 1)
    #expect(subscriber.isFinished)
  }

  @Test("A failure is reported once and passes unchanged")
  func failure() async throws {
    let stubs = StubTransport(.get, Self.url, result: .failure(TestFailure()))
    let journal = Journal()
    let api = TestAPI(transport: ObservedTransport(stubs) { journal.add($0) })
    await #expect(throws: TestFailure()) { try await api.get(endpoint: "a").value }
    let exchange = try #require(journal.exchanges.first)
    #expect(journal.exchanges.count == 1)
    #expect(throws: TestFailure()) { try exchange.outcome.get() }
  }

  @Test("An exchange is reported before the result is delivered, and on the same thread")
  func order() async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let log = ValueLog<String>()
    let threads = Mutex<Set<ObjectIdentifier>>([])
    let note: @Sendable (String) -> Void = { line in
      log.add(line)
      _ = threads.withLock { $0.insert(ObjectIdentifier(Thread.current)) }
    }
    let api = TestAPI(
      baseURL: server.baseURL,
      transport: ObservedTransport(URLSessionTransport()) { _ in note("told") })
    _ = try await api.get(endpoint: "a")
      .handleEvents(receiveOutput: { _ in note("value") }).value
    #expect(log.all == ["told", "value"])
    #expect(threads.withLock(\.count) == 1)
  }

  @Test("Nothing is reported before a subscription, nor after a cancel")
  func cancel() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.url), delay: .seconds(1)),
      scheduler: scheduler)
    let journal = Journal()
    let publisher = TestAPI(
      transport: ObservedTransport(stubs, clock: scheduler) { journal.add($0) }
    ).get(endpoint: "a")
    #expect(stubs.requests.isEmpty)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    publisher.receive(subscriber: subscriber)
    subscriber.cancel()
    scheduler.advance(by: .seconds(2))
    #expect(stubs.requests.count == 1)
    #expect(journal.exchanges.isEmpty)
    #expect(subscriber.completions.isEmpty)
  }

  @Test("Each attempt, refresh and redirect is reported on its own, in order")
  func everyExchange() async throws {
    let stubs = StubTransport(
      Identity.script(refresh: .json(Identity.refreshed))
        .thenRespondWith(
          request: Identity.me, statusCode: 307, headers: ["Location": "/v2/me"]
        )
        .thenRespondWith(
          request: .init(.get, urlString: Identity.baseURL + "/v2/me"),
          result: .json(Identity.profile)))
    let journal = Journal()
    let service = IdentityService(
      baseURL: Identity.baseURL,
      transport: ObservedTransport(stubs, clock: TestScheduler()) { journal.add($0) },
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: .immediate)
    _ = try await service.fetchProfile.value.get()
    #expect(
      journal.exchanges.map(\.description) == [
        "GET /me → 401 in 0 ms", "POST /auth/refresh → 200 in 0 ms", "GET /me → 307 in 0 ms",
        "GET /v2/me → 200 in 0 ms",
      ])
  }

  @Test("A report's line names the failure and rounds the time up")
  func lines() async throws {
    func line(
      _ failure: any Error, url: String = Self.url, after delay: Duration = .zero
    ) async throws -> String {
      let scheduler = TestScheduler()
      let stubs = StubTransport(
        StubAPIResponse(
          request: .init(.get, urlString: url), result: .failure(failure), delay: delay),
        scheduler: scheduler)
      let journal = Journal()
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      ObservedTransport(stubs, clock: scheduler) { journal.add($0) }
        .response(for: URLRequest(url: try #require(URL(string: url))))
        .receive(subscriber: subscriber)
      scheduler.run()
      return try #require(journal.exchanges.first).description
    }
    #expect(try await line(TestFailure()) == "GET /v1/a → failed (TestFailure) in 0 ms")
    #expect(
      try await line(TestFailure(), after: .microseconds(1))
        == "GET /v1/a → failed (TestFailure) in 1 ms")
    #expect(
      try await line(TestFailure(), after: .milliseconds(1_500))
        == "GET /v1/a → failed (TestFailure) in 1500 ms")
    let status = try await restError(of: Just(makeResponse(status: 500)).validateStatus())
    #expect(
      try await line(status)
        == "GET /v1/a → failed (the server answered 500 Internal Server Error) in 0 ms")
    #expect(
      try await line(TestFailure(), url: "http://h") == "GET / → failed (TestFailure) in 0 ms")
  }

  @Test("Real exchanges have real durations", arguments: TransportKind.allCases)
  func realTime(kind: TransportKind) async throws {
    let server = try MockServer { _ in .text("ok") }
    defer { server.stop() }
    let journal = Journal()
    let api = TestAPI(
      baseURL: server.baseURL, transport: ObservedTransport(try kind.make()) { journal.add($0) })
    _ = try await api.get(endpoint: "a").value
    let exchange = try #require(journal.exchanges.first)
    #expect(exchange.duration > .zero)
    #expect(try exchange.outcome.get() == 200)
  }

  @Test("An exchange in pieces is reported once, after its end", arguments: TransportKind.allCases)
  func events(kind: TransportKind) async throws {
    let server = try MockServer { request in
      request.path == "/cut"
        ? MockResponse(status: 200, body: Data("body".utf8), delivery: .cut(afterBytes: 2))
        : .text("body", status: 201)
    }
    defer { server.stop() }
    let journal = Journal()
    let transport = ObservedTransport(try kind.make()) { journal.add($0) }
    let api = TestAPI(baseURL: server.baseURL, transport: transport)
    let whole = await api.events(.put, endpoint: "a", body: .data(Data("x".utf8))).received()
    #expect(whole.data == Data("body".utf8))
    #expect(try journal.exchanges.map { try $0.outcome.get() } == [201])
    #expect(journal.exchanges.first?.request.method == .put)
    let cut = await api.events(endpoint: "cut").received()
    #expect(cut.error?.kind == .transport(.bodyCut))
    #expect(journal.exchanges.count == 2)
    #expect(throws: RESTError.self) { try journal.exchanges.last?.outcome.get() }
  }

  @Test("An observed transport has the limits of the inner transport")
  func limits() {
    var limits = TransportLimits()
    limits.bodyBytes = 7
    let transport = ObservedTransport(URLSessionTransport(limits: limits)) { _ in }
    #expect(transport.limits == limits)
    #expect(SharedTransport().limits == TransportLimits())
  }
}
