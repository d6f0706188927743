import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-08: the request that follows a redirect (RFC 9110 §15.4)")
struct RedirectMethodTests {
  private static let url = "https://api.example.com/v1/a"
  private static let target = "https://api.example.com/v1/b"

  /// Sends a request with a body, has it redirected once, and returns the second request.
  private func redirected(
    _ method: HTTPMethod, _ status: Int, expecting next: HTTPMethod, location: String = target,
    target: String = target
  ) async throws -> URLRequest {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(method, urlString: Self.url), statusCode: status,
        headers: ["Location": location], result: .json("moved")
      )
      .thenRespondWith(request: .init(next, urlString: target), result: .json("here")))
    let response = try await TestAPI(transport: stubs)
      .request(method, endpoint: "a", body: method == .head ? nil : .data(Data("body".utf8))) {
        $0.adding("Content-Type", "text/plain").adding("Content-Encoding", "identity")
          .adding("Content-Language", "en").adding("X-Own", "1").acceptingJSON()
      }.value
    #expect(response.data == (next == .head ? Data() : Data("here".utf8)))
    #expect(response.url.absoluteString == target)
    try stubs.verify()
    return try #require(stubs.requests.last)
  }

  @Test(
    "303 turns a request into a GET without a body; 301 and 302 do so for POST",
    arguments: [
      (.post, 301), (.post, 302), (.post, 303), (.put, 303), (.patch, 303),
      (.delete, 303), (.get, 303),
    ] as [(HTTPMethod, Int)])
  func becomesGet(method: HTTPMethod, status: Int) async throws {
    let request = try await redirected(method, status, expecting: .get)
    #expect(request.httpBody == nil)
    for name in ["Content-Type", "Content-Encoding", "Content-Language"] {
      #expect(request.value(forHTTPHeaderField: name) == nil)
    }
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
  }

  @Test(
    "307 and 308 keep method and body; 301 and 302 do so for other methods than POST",
    arguments: [
      (.post, 307), (.post, 308), (.put, 307), (.patch, 308), (.delete, 307),
      (.get, 307), (.put, 301), (.put, 302), (.patch, 301), (.patch, 302), (.delete, 301),
      (.delete, 302), (.get, 301), (.get, 302), (.head, 308),
    ] as [(HTTPMethod, Int)])
  func keeps(method: HTTPMethod, status: Int) async throws {
    let request = try await redirected(method, status, expecting: method)
    #expect(request.httpBody == (method == .head ? nil : Data("body".utf8)))
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    #expect(request.value(forHTTPHeaderField: "Content-Encoding") == "identity")
    #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
  }

  @Test("A HEAD stays a HEAD", arguments: [301, 302, 303, 307, 308])
  func head(status: Int) async throws {
    _ = try await redirected(.head, status, expecting: .head)
  }

  @Test(
    "A Location may be relative (RFC 3986 §5)",
    arguments: [
      ("/v2/b", "https://api.example.com/v2/b"), ("b", "https://api.example.com/v1/b"),
      ("../b", "https://api.example.com/b"), ("?q=1", "https://api.example.com/v1/a?q=1"),
      ("//other.example/b", "https://other.example/b"), ("HTTPS://H/b", "https://h/b"),
    ])
  func relative(location: String, target: String) async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url), statusCode: 302,
        headers: ["Location": location]
      )
      .thenRespondWith(request: .init(.get, urlString: target)))
    _ = try await TestAPI(transport: stubs).get(endpoint: "a").value
    #expect(stubs.requests.last?.url?.absoluteString.lowercased() == target)
    #expect(stubs.requests.last?.url?.baseURL == nil)
    try stubs.verify()
  }

  @Test("A relative Location is resolved against the URL that redirected, not the first one")
  func relativeToLast() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.url), statusCode: 302,
        headers: ["Location": "https://other.example/x/y"]
      )
      .thenRespondWith(
        request: .init(.get, urlString: "https://other.example/x/y"), statusCode: 302,
        headers: ["Location": "z"]
      )
      .thenRespondWith(request: .init(.get, urlString: "https://other.example/x/z")))
    _ = try await TestAPI(transport: stubs).get(endpoint: "a").value
    try stubs.verify()
  }

  @Test("A 3xx without a Location is delivered", arguments: [301, 302, 303, 307, 308])
  func noLocation(status: Int) async throws {
    let stubs = StubTransport(.get, Self.url, statusCode: status, result: .json("body"))
    let response = try await TestAPI(transport: stubs).get(endpoint: "a").value
    #expect(response.statusCode == status)
    #expect(response.data == Data("body".utf8))
  }

  @Test(
    "Any other 3xx is delivered, with or without a Location", arguments: [300, 304, 305, 306, 399])
  func otherStatus(status: Int) async throws {
    let stubs = StubTransport(
      .get, Self.url, statusCode: status, headers: ["Location": Self.target])
    let response = try await TestAPI(transport: stubs).get(endpoint: "a").value
    #expect(response.statusCode == status)
    #expect(stubs.requests.count == 1)
  }

  @Test(
    "A Location of a status that is not a redirect is not followed", arguments: [200, 201, 401])
  func created(status: Int) async throws {
    let stubs = StubTransport(
      .get, Self.url, statusCode: status, headers: ["Location": Self.target])
    #expect(try await TestAPI(transport: stubs).get(endpoint: "a").value.statusCode == status)
    #expect(stubs.requests.count == 1)
  }

  @Test("A retry starts again at the first URL, with its method, body and header fields")
  func retry() async throws {
    let first = StubRequest(.post, urlString: Self.url)
    let moved: HTTPHeaders = ["Location": "https://other.example/b"]
    let second = StubRequest(.get, urlString: "https://other.example/b")
    let stubs = StubTransport(
      StubAPIResponse(request: first, statusCode: 303, headers: moved)
        .thenRespondWith(request: second, result: .failure(TestFailure()))
        .thenRespondWith(request: first, statusCode: 303, headers: moved)
        .thenRespondWith(request: second))
    _ = try await TestAPI(transport: stubs).post(endpoint: "a", body: .data(Data("x".utf8))) {
      $0.addingBearerAuthorization(token: "t")
    }.retry(1).value
    let again = stubs.requests[2]
    #expect(again.httpBody == Data("x".utf8))
    #expect(again.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    try stubs.verify()
  }
}
