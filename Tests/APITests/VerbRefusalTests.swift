import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-01, SEC-04: requests that a verb refuses")
struct VerbRefusalTests {
  @Test("Each verb fails on the base FA KE, and nothing is sent", arguments: VerbKind.allCases)
  func fake(verb: VerbKind) async throws {
    let stubs = StubTransport()
    let runs = Counter()
    let publisher = verb.send(
      TestAPI(baseURL: "FA KE", transport: stubs), endpoint: "users", body: Data("x".utf8)
    ) { request in
      runs.add()
      return request
    }
    let error = try await restError(of: publisher)
    #expect(error.kind == .invalidBaseURL)
    #expect(
      error.description == """
        The \(verb.method) request was not sent: the base URL is not an absolute http(s) URL. \
        Write it with scheme and host, such as "https://api.example.com/v1".
        """)
    #expect(error.request == nil)
    #expect(error.response == nil)
    #expect(error.body == nil)
    #expect(stubs.requests.isEmpty)
    #expect(runs.value == 0)
  }

  @Test(
    "SEC-07: a method that would be sent in capitals is refused, others are sent unchanged",
    arguments: ["get", "Post", "put", "delete", "head", "connect"])
  func smallLetters(name: String) async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(HTTPMethod("patch"), urlString: "https://api.example.com/v1/a")))
    let api = TestAPI(transport: stubs)
    let error = await api.events(HTTPMethod(name), endpoint: "a").received().error
    #expect(error?.kind == .invalidRequest)
    #expect(error?.attempts == 0)
    #expect(
      error?.description == """
        \(name) https://api.example.com/v1/a: \(name) was not sent: URLRequest changes it to \
        \(name.uppercased()). Methods are case-sensitive: write \(name.uppercased()) if you mean \
        that method.
        """)
    #expect(stubs.requests.isEmpty)
    #expect(await api.events(HTTPMethod("patch"), endpoint: "a").received().failure == nil)
    #expect(stubs.requests.first?.httpMethod == "patch")
  }

  @Test(
    "SEC-07: no text shows a method's line break", arguments: TransportKind.allCases,
    ["GET\r\nX-Evil: canary", "GET\n", "\u{1B}[31m", "\r\n", ""])
  func lineBreak(kind: TransportKind, method: String) async throws {
    let api = TestAPI(baseURL: "http://127.0.0.1:1", transport: try kind.make())
    let inModifier = api.events(endpoint: "a") {
      var request = $0
      request.httpMethod = method
      return request
    }
    for call in [inModifier, api.events(HTTPMethod(method), endpoint: "a")] {
      let error = try #require(await call.received().error)
      #expect(error.kind == .invalidRequest)
      for text in allTexts(of: error) {
        #expect(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A }, "\(text.debugDescription)")
        #expect(!text.contains("canary"))
      }
      #expect(!error.description.contains("\n"))
    }
  }

  @Test(
    "A base URL that no request can go to is refused, and its text is not shown",
    arguments: [
      "", "ftp://canary.example", "canary/v1", "//canary.example", "https://",
      "https://user:canary@h", "https://h?key=canary", "https://h#canary", "https://h:0/canary",
      " https://canary.example", "https://h/../canary",
    ])
  func badBase(baseURL: String) async throws {
    let stubs = StubTransport()
    let error = try await restError(
      of: TestAPI(baseURL: baseURL, transport: stubs).get(endpoint: "users"))
    #expect(error.kind == .invalidBaseURL)
    #expect(error.description.contains("base URL"))
    #expect(!error.description.contains("canary"))
    #expect(!error.remedy.isEmpty)
    #expect(stubs.requests.isEmpty)
  }

  @Test(
    "Each verb refuses an endpoint that would leave the base", arguments: VerbKind.allCases,
    [
      "../admin", "a/../../b", "%2e%2e/x", "//evil.example", "https://evil.example",
      "javascript:", "HTTPS:evil.example", "ftp://evil.example", "users?x=1", "users#x",
      "\\\\evil.example", "a\r\nHost: evil", "a b",
      "100%",
    ])
  func badEndpoint(verb: VerbKind, endpoint: String) async throws {
    let stubs = StubTransport()
    let error = try await restError(
      of: verb.send(TestAPI(transport: stubs), endpoint: endpoint))
    #expect(error.kind == .invalidEndpoint)
    #expect(error.description.hasPrefix("The \(verb.method) request was not sent: the endpoint \""))
    #expect(error.description.hasSuffix("."))
    #expect(!error.description.contains("\r"))
    #expect(stubs.requests.isEmpty)
  }

  @Test("The error for a question mark in an endpoint recommends `query:`")
  func queryInEndpoint() async throws {
    let error = try await restError(
      of: TestAPI(transport: StubTransport()).get(endpoint: "users?token=canary"))
    #expect(error.remedy.contains("query:"))
    #expect(!error.description.contains("canary"))
  }

  @Test("A query that is too long is the endpoint's fault")
  func longQuery() async throws {
    let stubs = StubTransport()
    let item = URLQueryItem(name: "q", value: String(repeating: "x", count: 1 << 20))
    let error = try await restError(
      of: TestAPI(transport: stubs).get(endpoint: "users", query: [item]))
    #expect(error.kind == .invalidEndpoint)
    #expect(error.reason.contains("query"))
    #expect(error.description.count < 300)
    #expect(stubs.requests.isEmpty)
  }

  @Test("Each subscriber gets the refusal anew, as a failure without a value")
  func refusalIsCold() {
    let publisher = TestAPI(baseURL: "FA KE", transport: StubTransport()).get(endpoint: "a")
    for _ in 1...2 {
      let subscriber = TestSubscriber<RESTResponse, any Error>(demand: .none)
      publisher.receive(subscriber: subscriber)
      #expect(subscriber.values.isEmpty)
      #expect(subscriber.completions.count == 1)
      #expect((subscriber.failure as? RESTError)?.kind == .invalidBaseURL)
    }
  }

  @Test("No verb with the base FA KE reaches a server", arguments: TransportKind.allCases)
  func fakeThroughTransports(kind: TransportKind) async throws {
    let transport = try kind.make()
    for verb in VerbKind.allCases {
      let error = try await restError(
        of: verb.send(TestAPI(baseURL: "FA KE", transport: transport), endpoint: "users"))
      #expect(error.kind == .invalidBaseURL)
    }
  }
}
