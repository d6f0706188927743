import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-08: the limits of redirects")
struct RedirectSafetyTests {
  private static let secrets = [
    "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "Api-Key",
    "X-Access-Token", "X-Session-Id", "Ocp-Apim-Subscription-Key",
  ]

  /// The second of two requests, of which the first, with secrets in its header, was redirected.
  private func redirected(
    from url: String, to location: String, status: Int = 307
  ) async throws -> URLRequest {
    let first = StubAPIResponse(
      request: .init(.get, urlString: url), statusCode: status, headers: ["Location": location])
    let stubs = StubTransport(
      first.thenRespondWith(request: .init(.get, urlString: location)))
    let base = try #require(URL(string: url))
    _ = try await TestAPI(
      baseURL: url.replacingOccurrences(of: base.path, with: ""), transport: stubs
    ).get(endpoint: base.path) {
      $0.addingBearerAuthorization(token: "t").adding("cookie", "c")
        .adding("Proxy-Authorization", "p").adding("x-api-key", "k").adding("X-Own", "1")
        .adding("X-Auth-Token", "a").adding("Api-Key", "b").adding("x-access-token", "c")
        .adding("X-Session-Id", "d").adding("Ocp-Apim-Subscription-Key", "e")
        .acceptingJSON()
    }.value
    return try #require(stubs.requests.last)
  }

  @Test(
    "SEC-08, TR-32: another origin gets everything except the secrets",
    arguments: [
      "https://other.example/a", "https://api.example.com:8443/a", "https://sub.api.example.com/a",
      "https://example.com/a", "https://api.example.com./a", "https://api.example.com.evil/a",
    ], [301, 302, 303, 307, 308])
  func otherOrigin(location: String, status: Int) async throws {
    let request = try await redirected(
      from: "https://api.example.com/x", to: location, status: status)
    for name in Self.secrets { #expect(request.value(forHTTPHeaderField: name) == nil) }
    #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
  }

  @Test("SEC-08: no secret is passed on, in any spelling or number of spellings")
  func spellings() async throws {
    let names = Self.secrets + ["X-Own-Secret"]
    let fields = names.flatMap { [$0, $0.lowercased(), $0.uppercased()] }
    // Other transports refuse a field in two spellings.
    let server = ScriptedTransport(
      .status(307, ["Location": "https://other.example/b"]), .status(200), on: .immediate)
    _ = try await TestAPI(transport: server, secretHeaders: ["x-own-SECRET"]).get(endpoint: "a") {
      var request = $0
      request.allHTTPHeaderFields = Dictionary(uniqueKeysWithValues: fields.map { ($0, "s") })
        .merging(["X-Own": "1"]) { $1 }
      return request
    }.value
    #expect(server.requests.map(\.url?.host) == ["api.example.com", "other.example"])
    #expect(server.requests.last?.allHTTPHeaderFields == ["X-Own": "1"])
  }

  @Test("A redirect from http to https changes the origin")
  func upgrade() async throws {
    let request = try await redirected(
      from: "http://api.example.com/x", to: "https://api.example.com/x")
    for name in Self.secrets { #expect(request.value(forHTTPHeaderField: name) == nil) }
    #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
  }

  @Test(
    "The same origin keeps everything, in any spelling of the URL",
    arguments: ["https://api.example.com/y", "https://API.Example.com/y"])
  func sameOrigin(location: String) async throws {
    let request = try await redirected(from: "https://api.example.com/x", to: location)
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    #expect(request.value(forHTTPHeaderField: "Cookie") == "c")
    #expect(request.value(forHTTPHeaderField: "Proxy-Authorization") == "p")
    #expect(request.value(forHTTPHeaderField: "X-Api-Key") == "k")
    #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
  }

  @Test("A default port is the same origin, written or not")
  func defaultPort() async throws {
    let request = try await redirected(
      from: "https://api.example.com/x", to: "https://api.example.com:443/y")
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
    let plain = try await redirected(from: "http://h.example:80/x", to: "http://h.example/y")
    #expect(plain.value(forHTTPHeaderField: "Authorization") == "Bearer t")
  }

  @Test("Header fields left out for another origin do not come back on the way home")
  func thereAndBack() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/v1/a"), statusCode: 302,
        headers: ["Location": "https://other.example/b"]
      )
      .thenRespondWith(
        request: .init(.get, urlString: "https://other.example/b"), statusCode: 302,
        headers: ["Location": "https://api.example.com/v1/c"]
      )
      .thenRespondWith(request: .init(.get, urlString: "https://api.example.com/v1/c")))
    _ = try await TestAPI(transport: stubs).get(endpoint: "a") {
      $0.addingBearerAuthorization(token: "t")
    }.value
    let tokens = stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
    #expect(tokens == ["Bearer t", nil, nil])
  }

  private func refusal(
    _ headers: HTTPHeaders, from base: String = "https://api.example.com/v1"
  ) async throws -> RESTError {
    let stubs = StubTransport(
      .get, base + "/a", statusCode: 302, headers: headers, result: .json("moved"))
    let error = try await restError(
      of: TestAPI(baseURL: base, transport: stubs).get(endpoint: "a"))
    #expect(error.kind == .redirect)
    #expect(stubs.requests.count == 1)
    #expect(error.response?.statusCode == 302)
    #expect(error.body == Data("moved".utf8))
    return error
  }

  @Test("A redirect from https to http is refused")
  func downgrade() async throws {
    let error = try await refusal(["Location": "http://api.example.com/v1/b"])
    #expect(
      error.description == """
        GET https://api.example.com/v1/a: the server redirected from https to http, which would \
        send the request in the clear. Have the server redirect to https.
        """)
  }

  @Test("A redirect from http to http is followed")
  func plain() async throws {
    _ = try await redirected(from: "http://h.example/x", to: "http://other.example/y")
  }

  @Test(
    "A target that is not an http(s) URL with a host is refused",
    arguments: [
      "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "ftp://h/x", "mailto:a@b",
      "https://", "http:", "https:///x", "", "http://[", "https:x",
    ])
  func otherScheme(location: String) async throws {
    let error = try await refusal(["Location": location])
    #expect(
      error.description == """
        GET https://api.example.com/v1/a: the server redirected to a location that is not an \
        http(s) URL. Look at the Location header in the error's `response`.
        """)
    #expect(error.response?.headers["Location"] == location)
  }

  @Test("SEC-08: two different Locations are refused")
  func twoLocations() async throws {
    let error = try await refusal(["Location": "c", "Location": "https://api.example.com/v1/b"])
    #expect(
      error.description == """
        GET https://api.example.com/v1/a: the server redirected to two different URLs. \
        Look at the Location headers in the error's `response`.
        """)
  }

  @Test("SEC-08: user info in a Location is refused", arguments: ["u:p@h/x", "u@h", ":p@h/"])
  func userInfo(rest: String) async throws {
    let error = try await refusal(["Location": "https://" + rest])
    #expect(
      error.description == """
        GET https://api.example.com/v1/a: the server redirected to a URL with user info in it. \
        Have the server remove the text before the @.
        """)
  }

  /// A chain of so many redirects, of `/v1/0` to `/v1/1` and so on, and a request for its start.
  private func chain(of hops: Int) -> (StubTransport, AnyPublisher<RESTResponse, any Error>) {
    let base = "https://api.example.com/v1/"
    var script = StubAPIResponse(
      request: .init(.get, urlString: base + "0"), statusCode: 302, headers: ["Location": "1"])
    for hop in 1..<hops {
      script = script.thenRespondWith(
        request: .init(.get, urlString: base + "\(hop)"), statusCode: 302,
        headers: ["Location": "\(hop + 1)"])
    }
    script = script.thenRespondWith(request: .init(.get, urlString: base + "\(hops)"))
    let stubs = StubTransport(script)
    return (stubs, TestAPI(transport: stubs).get(endpoint: "0"))
  }

  @Test("Ten redirects are followed")
  func tenHops() async throws {
    let (stubs, publisher) = chain(of: 10)
    #expect(try await publisher.value.url.lastPathComponent == "10")
    try stubs.verify()
  }

  @Test("The eleventh redirect is an error that names the last place")
  func elevenHops() async throws {
    let (stubs, publisher) = chain(of: 11)
    let error = try await restError(of: publisher)
    #expect(error.kind == .redirect)
    #expect(
      error.description == """
        GET https://api.example.com/v1/10: the server redirected more than 10 times, last to \
        https://api.example.com/v1/11. Report the redirects to the server's operators.
        """)
    #expect(stubs.requests.count == 11)
    #expect(stubs.unusedStubs.count == 1)
  }
}
