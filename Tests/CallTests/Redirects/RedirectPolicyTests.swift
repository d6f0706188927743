import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The redirect policies of an API")
struct RedirectPolicyTests {
  private static let base = "https://api.example.com/v1/"

  /// A server that redirects `a` to a place, and answers there.
  private static func stubs(redirectingTo location: String) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: base + "a"), statusCode: 302,
        headers: ["Location": location]
      )
      .thenRespondWith(request: .init(.get, urlString: location)))
  }

  @Test(
    "With `.never` a 3xx is a normal response",
    arguments: ["b", "https://other.example/b", "file:///x", "http://api.example.com/"])
  func never(location: String) async throws {
    let stubs = Self.stubs(redirectingTo: location)
    let response = try await TestAPI(transport: stubs, redirects: .never).get(endpoint: "a").value
    #expect(response.statusCode == 302)
    #expect(response.headers["Location"] == location)
    #expect(stubs.requests.count == 1)
  }

  @Test("With `.sameOrigin` a redirect within the origin is followed")
  func sameOrigin() async throws {
    let stubs = Self.stubs(redirectingTo: "https://API.example.com:443/v2/b")
    let api = TestAPI(transport: stubs, redirects: .sameOrigin)
    #expect(try await api.get(endpoint: "a").value.statusCode == 200)
    try stubs.verify()
  }

  @Test(
    "With `.sameOrigin` a redirect elsewhere is an error that names the target without the query",
    arguments: [
      "https://other.example/b", "https://api.example.com:8443/b", "https://sub.api.example.com/b",
    ])
  func leaving(location: String) async throws {
    let stubs = Self.stubs(redirectingTo: location + "?token=t")
    let error = try await restError(
      of: TestAPI(transport: stubs, redirects: .sameOrigin).get(endpoint: "a"))
    #expect(error.kind == .redirect)
    #expect(stubs.requests.count == 1)
    #expect(
      error.description == """
        GET https://api.example.com/v1/a: the server redirected to another origin, \(location). \
        Call that URL directly, or let this API follow with `redirects: .follow`.
        """)
  }

  @Test("SEC-08: a header that the API marks as secret stays with its origin, in any spelling")
  func markedHeader() async throws {
    let stubs = Self.stubs(redirectingTo: "https://other.example/b")
    _ = try await TestAPI(transport: stubs, secretHeaders: ["x-session"]).get(endpoint: "a") {
      $0.adding("X-Session", "s").adding("X-Own", "1")
    }.value
    let second = try #require(stubs.requests.last)
    #expect(second.value(forHTTPHeaderField: "X-Session") == nil)
    #expect(second.value(forHTTPHeaderField: "X-Own") == "1")
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "X-Session") == "s")
  }

  @Test(
    "SEC-08: a loop of one place or of two is named in the error", arguments: [["a"], ["a", "b"]])
  func loop(places: [String]) async throws {
    func url(_ hop: Int) -> String { Self.base + places[hop % places.count] }
    var script = StubAPIResponse(
      request: .init(.get, urlString: url(0)), statusCode: 302, headers: ["Location": url(1)])
    for hop in 1...10 {
      script = script.thenRespondWith(
        request: .init(.get, urlString: url(hop)), statusCode: 302,
        headers: ["Location": url(hop + 1)])
    }
    let stubs = StubTransport(script)
    let error = try await restError(of: TestAPI(transport: stubs).get(endpoint: places[0]))
    let loop = (10...(10 + places.count)).map { url($0 + 1 - places.count) }
    #expect(
      error.description == """
        GET \(url(10)): the server redirected more than 10 times, in a loop: \
        \(loop.joined(separator: " → ")). Report the redirects to the server's operators.
        """)
    #expect(stubs.requests.count == 11)
  }

  @Test("A server may redirect to the same place until the resource is ready")
  func waiting() async throws {
    let place = StubAPIResponse(
      request: .init(.get, urlString: Self.base + "a"), statusCode: 303, headers: ["Location": "a"])
    let stubs = StubTransport(
      place
        .thenRespondWith(
          request: .init(.get, urlString: Self.base + "a"), statusCode: 303,
          headers: ["Location": "a"]
        )
        .thenRespondWith(request: .init(.get, urlString: Self.base + "a"), result: .json("ready")))
    let response = try await TestAPI(transport: stubs).get(endpoint: "a").value
    #expect(response.data == Data("ready".utf8))
  }
}
