import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Docs/Observing.md shows what the tests compile and run")
struct ObservingGuideTests {
  private static let guide = "Docs/Observing.md"

  @Test("Each Swift block is a region of ObservingExamples.swift")
  func snippets() throws {
    let blocks = try GuideText.blocks(of: Self.guide).filter { $0.key.hasPrefix("snippet") }
    let regions = try GuideText.regions(
      of: "Tests/RESTKitTests/Documentation/ObservingExamples.swift")
    #expect(blocks == regions)
    let count = try GuideText.text(of: Self.guide).matches(of: /```swift/).count
    #expect(blocks.count == count, "An unnamed block, or two of one name")
  }

  @Test("The log is the one the library writes")
  func log() throws {
    let clock = TestScheduler()
    let call = LogicalCall(clock: clock)
    let orders = RequestSummary(method: .get, url: URL(string: "https://shop.example/orders"))
    let files = RequestSummary(method: .get, url: URL(string: "https://files.example/orders.json"))
    let sent = SentRequest(URLRequest(url: try #require(URL(string: "https://h"))), body: nil)
    call.record(.built(orders))
    call.beginExchange(sent, isRedirected: false)
    clock.advance(by: .milliseconds(120))
    call.record(.received(status: 503, metrics: nil))
    call.record(.waiting(.seconds(1), because: "it was answered 503", budget: 496))
    clock.advance(by: .seconds(1))
    call.prepareNext(cause: .retry)
    call.beginExchange(sent, isRedirected: false)
    clock.advance(by: .milliseconds(100))
    call.record(.received(status: 302, metrics: nil))
    call.record(.redirected(to: files, droppedHeaders: ["Authorization"]))
    call.beginExchange(sent, isRedirected: true)
    clock.advance(by: .milliseconds(100))
    call.record(.received(status: 200, metrics: nil))
    call.record(.decoded("\([Order].self)"))
    call.end()
    let block = try #require(try GuideText.blocks(of: Self.guide)["output: log"])
    #expect(block == "\(call.log)\n")
  }

  @Test("The curl command is the one the library writes")
  func curl() throws {
    var login = URLRequest(
      url: try #require(URL(string: "https://me:secret@shop.example/login?from=secret")))
    login.httpMethod = "POST"
    login.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    login.setValue("application/json", forHTTPHeaderField: "Content-Type")
    login.httpBody = Data(#"{"user": "secret", "remember": true}"#.utf8)
    let block = try #require(try GuideText.blocks(of: Self.guide)["output: curl"])
    #expect(block == "\(describe(login))\n")
  }

  @Test("What the examples say, they do")
  func examples() async throws {
    let stub = StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example/orders"), result: .json("[]"))
    let transport = ObservedTransport(StubTransport(stub, stub))
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.receive(subscriber: logs)
    let printing = printCalls(of: transport)
    let failures = TestSubscriber<String, Never>()
    let counted = PassthroughSubject<String, Never>()
    counted.receive(subscriber: failures)
    let counting = count(transport) { counted.send($0) }
    let shop = ShopAPI(baseURL: "https://shop.example", transport: transport)
    _ = try await shop.get(endpoint: "orders").value
    _ = try? await shop.get(endpoint: "other").value
    withExtendedLifetime((printing, counting)) {}
    #expect(failures.values.count == 1)

    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = folder.appending(path: "calls.html")
    try writePicture(of: logs.values, to: page)
    #expect(try String(contentsOf: page, encoding: .utf8).contains("GET /orders"))

    let server = try MockServer { _ in .json("[]") }
    defer { server.stop() }
    let shopAt: @Sendable (any Transport) -> ShopAPI = { [baseURL = server.baseURL] in
      ShopAPI(baseURL: baseURL, transport: $0)
    }
    let file = folder.appending(path: "orders.har")
    try await recordOrders(of: shopAt, to: file)
    try await replayOrders(of: shopAt, from: file)
  }
}
