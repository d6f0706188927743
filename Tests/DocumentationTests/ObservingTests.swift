import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Docs/Observing.md has the library's texts, and its examples run", .leakFree)
struct ObservingTests {
  private func output(_ name: String) throws -> String {
    try Guide(at: "Docs/Observing.md").output(name)
  }
  private let examples = ObservingExamples()

  @Test("The log is the library's")
  func log() throws {
    let clock = TestScheduler()
    let call = LogicalCall(clock: clock)
    let orders = RequestSummary(method: .get, url: URL(string: "https://shop.example/orders"))
    let files = RequestSummary(method: .get, url: URL(string: "https://files.example/orders.json"))
    call.journal.record(.built(orders))
    call.beginExchange(isRedirected: false)
    clock.advance(by: .milliseconds(120))
    call.journal.record(.received(status: 503, metrics: nil))
    call.journal.record(.waiting(.seconds(1), because: "it was answered 503", budget: 496))
    clock.advance(by: .seconds(1))
    call.beginExchange(isRedirected: false, repetition: .retry)
    clock.advance(by: .milliseconds(100))
    call.journal.record(.received(status: 302, metrics: nil))
    call.journal.record(.redirected(to: files, droppedHeaders: ["Authorization"]))
    call.beginExchange(isRedirected: true)
    clock.advance(by: .milliseconds(100))
    call.journal.record(.received(status: 200, metrics: nil))
    call.journal.record(.decoded("\([Order].self)"))
    call.journal.end()
    let block = try output("log")
    #expect(block == "\(call.journal.log)")
  }

  @Test("The log of a stream is the library's")
  func stream() throws {
    let clock = TestScheduler()
    let prices = StubRequest(.get, urlString: "https://shop.example/prices")
    let type: HTTPHeaders = ["Content-Type": "text/event-stream"]
    let stubs = StubTransport(
      StubAPIResponse(
        request: prices, headers: type, pieces: [.after(.seconds(2), "data: 7\n\n")]
      )
      .thenRespondWith(request: prices, statusCode: 503)
      .thenRespondWith(request: prices, headers: type, pieces: ["data: 8\n\n"], end: .silence),
      scheduler: clock)
    let transport = ObservedTransport(stubs, clock: clock)
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.receive(subscriber: logs)
    let events = TestSubscriber<ServerSentEvent, any Error>()
    let retry = RetryPolicy(budget: nil, scheduler: clock)
    ShopAPI(baseURL: "https://shop.example", transport: transport)
      .serverSentEvents(
        endpoint: "prices", reconnecting: ReconnectPolicy(maxDelay: .seconds(3), retry: retry)
      )
      .receive(subscriber: events)
    clock.advance(by: .seconds(10))
    events.cancel()
    #expect(events.values.map(\.data) == ["7", "8"])
    #expect(try output("stream") == logs.values.map { "\($0)" }.joined())
    logs.cancel()
  }

  @Test("The curl command is the library's")
  func curl() throws {
    var login = URLRequest(
      url: try #require(URL(string: "https://me:secret@shop.example/login?from=secret")))
    login.httpMethod = "POST"
    login.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    login.setValue("application/json", forHTTPHeaderField: "Content-Type")
    login.httpBody = Data(#"{"user": "secret", "remember": true}"#.utf8)
    let block = try output("curl")
    #expect(block == examples.describe(login))
  }

  @Test("The instrument numbers each request and counts the active ones")
  func instrument() {
    let clock = TestScheduler()
    let stub = StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example/orders"), delay: .seconds(1))
    let stubs = StubTransport(stub, stub, scheduler: clock)
    let transport = ObservedTransport(stubs, clock: clock)
    let count = RequestCount()
    let instrumenting = transport.instrument(with: count)
    let shop = ShopAPI(baseURL: "https://shop.example", transport: transport)
    let subscribers = (0..<2).map { _ in TestSubscriber<RESTResponse, any Error>() }
    for subscriber in subscribers { shop.get(endpoint: "orders").receive(subscriber: subscriber) }
    #expect(count.active == 2)
    subscribers[0].cancel()
    #expect(count.active == 1)
    clock.run()
    #expect(count.active == 0)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "X-Request-Number") } == ["1", "2"])
    instrumenting.cancel()
  }

  @Test("The examples do what their text says")
  func run() async throws {
    let stub = StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example/orders"), result: .json("[]"))
    let transport = ObservedTransport(StubTransport(stub, stub))
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.receive(subscriber: logs)
    let printing = examples.printCalls(of: transport)
    let failures = TestSubscriber<String, Never>()
    let counted = PassthroughSubject<String, Never>()
    counted.receive(subscriber: failures)
    let counting = examples.count(transport) { counted.send($0) }
    let shop = ShopAPI(baseURL: "https://shop.example", transport: transport)
    _ = try await shop.get(endpoint: "orders").value
    _ = try? await shop.get(endpoint: "other").value
    withExtendedLifetime((printing, counting)) {}
    #expect(failures.values.count == 1)

    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = folder.appending(path: "calls.html")
    try examples.writePicture(of: logs.values, to: page)
    #expect(try String(contentsOf: page, encoding: .utf8).contains("GET /orders"))

    let server = try MockServer { _ in .json("[]") }
    defer { server.stop() }
    let shopAt: @Sendable (any Transport) -> ShopAPI = { [baseURL = server.baseURL] in
      ShopAPI(baseURL: baseURL, transport: $0)
    }
    let file = folder.appending(path: "orders.har")
    try await examples.recordOrders(of: shopAt, to: file)
    try await examples.replayOrders(of: shopAt, from: file)
  }
}
