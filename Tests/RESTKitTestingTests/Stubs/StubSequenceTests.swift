import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The order of stubs")
struct StubSequenceTests {
  @Test("A response has the status, header fields and bytes of its stub")
  func response() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .get("/a"), statusCode: 418, headers: ["X-A": "1", "X-A": "2"],
        result: .success(Data([0, 255]))))
    let response = try #require(stubs.subscriber("/a").values.first)
    #expect(response.statusCode == 418)
    #expect(response.headers.values(for: "X-A") == ["1", "2"])
    #expect(response.data == Data([0, 255]))
    #expect(response.url.absoluteString == base + "/a")
    #expect(response.request.description == "GET \(base)/a")
    try stubs.verify()
  }

  @Test("By default a stub responds with 200 and an empty body")
  func defaults() throws {
    let response = try #require(
      StubTransport(StubAPIResponse(request: .get("/a"))).subscriber("/a").values.first)
    #expect(response.statusCode == 200)
    #expect(response.headers.isEmpty)
    #expect(response.data.isEmpty)
  }

  @Test("A sequence is consumed in order, each response once")
  func inOrder() throws {
    let stubs = StubTransport(
      .text("1", for: "/a").then("2", for: "/a").then("3", for: "/b"))
    #expect(try stubs.text("/a") == "1")
    #expect(try stubs.text("/a") == "2")
    #expect(try stubs.text("/b") == "3")
    #expect(throws: StubError.self) { try stubs.text("/a") }
    #expect(throws: StubError.self) { try stubs.text("/b") }
  }

  @Test("A request out of order fails, and its stub keeps waiting")
  func outOfOrder() throws {
    let stubs = StubTransport(.text("1", for: "/a").then("2", for: "/b"))
    #expect(throws: StubError.self) { try stubs.text("/b") }
    #expect(try stubs.text("/a") == "1")
    #expect(try stubs.text("/b") == "2")
    #expect(stubs.unusedStubs.isEmpty)
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("Several scripts are consumed each in its own order, in any order among them")
  func severalScripts() throws {
    let stubs = StubTransport(
      .text("a1", for: "/a").then("a2", for: "/a"), .text("b1", for: "/b").then("b2", for: "/b"))
    #expect(try stubs.text("/b") == "b1")
    #expect(try stubs.text("/a") == "a1")
    #expect(try stubs.text("/a") == "a2")
    #expect(try stubs.text("/b") == "b2")
    try stubs.verify()
  }

  @Test("Of scripts that wait for the same request, the first one responds first")
  func sameRequest() throws {
    let stubs = StubTransport(.text("1", for: "/a"), .text("2", for: "/a"))
    #expect(try stubs.text("/a") == "1")
    #expect(try stubs.text("/a") == "2")
    try stubs.verify()
  }

  @Test("A stub is taken at the subscription, and not before")
  func cold() throws {
    let stubs = StubTransport(.text("1", for: "/a").then("2", for: "/a"))
    let publisher = stubs.response(for: URLRequest(url: try #require(URL(string: base + "/a"))))
      .map { String(decoding: $0.data, as: UTF8.self) }
    #expect(stubs.requests.isEmpty)
    #expect(stubs.unusedStubs.count == 2)
    for text in ["1", "2"] {
      let subscriber = TestSubscriber<String, any Error>()
      publisher.receive(subscriber: subscriber)
      #expect(subscriber.values == [text])
    }
    try stubs.verify()
  }

  @Test("The transport keeps every request in order, including unmatched ones")
  func requests() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    _ = try? stubs.text("/x", method: .post, body: Data("body".utf8))
    try stubs.text("/a")
    #expect(stubs.requests.map(\.httpMethod) == ["POST", "GET"])
    #expect(stubs.requests.first?.httpBody == Data("body".utf8))
  }

  @Test("A script is a value, so two transports can use it, and extending it changes no other")
  func isAValue() throws {
    let script = StubAPIResponse.text("1", for: "/a")
    let longer = script.then("2", for: "/b")
    let (one, other) = (StubTransport(script), StubTransport(longer))
    #expect(try one.text("/a") == "1")
    #expect(try other.text("/a") == "1")
    try one.verify()
    #expect(other.unusedStubs.count == 1)
  }

  @Test("A failure in place of a response fails the exchange", arguments: [true, false])
  func failure(isRESTKits: Bool) throws {
    let failure: any Error =
      isRESTKits
      ? TransportError(kind: .connectionReset, mayHaveBeenProcessed: true) : TestFailure()
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), result: .failure(failure)).then("2", for: "/a"))
    let subscriber = try stubs.subscriber("/a")
    #expect(subscriber.values.isEmpty)
    let error = try #require(subscriber.failure)
    #expect("\((error as? RESTError)?.underlyingError ?? error)" == "\(failure)")
    #expect((error is RESTError) == isRESTKits)
    #expect(try stubs.text("/a") == "2")
    try stubs.verify()
  }
}
