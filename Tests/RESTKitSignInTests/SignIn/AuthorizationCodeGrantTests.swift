import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitSignIn

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Signing in with an authorization code", .leakFree)
struct AuthorizationCodeGrantTests {
  private static let redirectURI = "com.example.app:/signed-in"
  private let server = SignInServer(["/token": [SignInServer.token]])
  private let shown = ValueLog<URL>()

  /// Signs in with a browser that answers in its own way.
  private func signIn(
    _ client: OAuthClient? = nil, redirectURI: String = Self.redirectURI,
    parameters: QueryItems = [],
    answering answer: @escaping @Sendable (_ state: String) -> String
  ) async throws -> Credential {
    let client = try client ?? server.client()
    return try await AuthorizationCodeGrant(
      client, scope: "orders", redirectURI: redirectURI, parameters: parameters
    ) { url in
      shown.add(url)
      let state = try #require(url.values(of: "state").first ?? nil)
      return try #require(URL(string: answer(state)))
    }
    .credential(at: { WallClock.start }).value
  }

  private func failure(
    _ client: OAuthClient? = nil, redirectURI: String = Self.redirectURI,
    _ location: SourceLocation = #_sourceLocation,
    answering answer: @escaping @Sendable (_ state: String) -> String
  ) async throws -> SignInError {
    try await #require(throws: SignInError.self, sourceLocation: location) {
      try await signIn(client, redirectURI: redirectURI, answering: answer)
    }
  }

  @Test("The browser is sent to the endpoint with a new state and an S256 challenge each time")
  func request() async throws {
    for _ in 0..<2 {
      _ = try await signIn(parameters: [URLQueryItem(name: "prompt", value: "a&b")]) {
        "\(Self.redirectURI)?code=c&state=\($0)"
      }
    }
    let urls = shown.all
    for url in urls {
      #expect(url.absoluteString.hasPrefix("https://id.example.com/authorize?"))
      #expect(url.values(of: "response_type") == ["code"])
      #expect(url.values(of: "client_id") == ["app"])
      #expect(url.values(of: "redirect_uri") == [Self.redirectURI])
      #expect(url.values(of: "scope") == ["orders"])
      #expect(url.values(of: "prompt") == ["a&b"])
      #expect(url.values(of: "code_challenge_method") == ["S256"])
    }
    #expect(Set(urls.map { $0.values(of: "state") }).count == 2)
    #expect(Set(urls.map { $0.values(of: "code_challenge") }).count == 2)
  }

  @Test("The code is exchanged with the verifier of the challenge, and the same redirect URI")
  func exchange() async throws {
    let credential = try await signIn { "\(Self.redirectURI)?code=c%2F1&state=\($0)" }
    #expect(
      credential
        == Credential(
          accessToken: "canary-a", refreshToken: "canary-r", issuedAt: WallClock.start,
          expiresAt: WallClock.start + 60, scope: "orders"))
    let form = try #require(server.forms(at: "/token").first)
    let fields = [URLQueryItem].pairs(of: Substring(form))
    let verifier = try #require(fields.first { $0.name == "code_verifier" }?.value)
    #expect(
      form == "grant_type=authorization_code&code=c%2F1"
        + "&redirect_uri=com.example.app%3A%2Fsigned-in&code_verifier=\(verifier)&client_id=app")
    let url = try #require(shown.all.first)
    #expect(url.values(of: "code_challenge") == [ProofKey(verifier: verifier).challenge])
  }

  @Test(
    "A callback of another sign-in is refused, even with an error (RFC 6749 §10.12)",
    arguments: ["?code=c&state=x", "?code=c", "?error=access_denied&state=x", "?code=c&state=", ""])
  func state(query: String) async throws {
    let error = try await failure { _ in Self.redirectURI + query }
    #expect(error == .stateMismatch)
    #expect(server.requests.isEmpty)
  }

  @Test("A callback works once, because the next sign-in has another state")
  func replay() async throws {
    _ = try await signIn { "\(Self.redirectURI)?code=c&state=\($0)" }
    let state = try #require(shown.all.first?.values(of: "state").first ?? nil)
    let error = try await failure { _ in "\(Self.redirectURI)?code=c&state=\(state)" }
    #expect(error == .stateMismatch)
  }

  @Test(
    "A callback at another place than the redirect URI is refused (RFC 9700 §2.1)",
    arguments: [
      "com.example.evil:/signed-in", "com.example.app:/signed-in/", "com.example.app:/signed",
      "com.example.app://signed-in", "com.example.app:/Signed-in",
      "com.example.app:/x/../signed-in",
    ])
  func place(callback: String) async throws {
    let error = try await failure { "\(callback)?code=c&state=\($0)" }
    #expect(error == .redirectMismatch)
    #expect(server.requests.isEmpty)
  }

  @Test("A redirect URI keeps its query, and its host may come back in lower case")
  func redirectQuery() async throws {
    _ = try await signIn(redirectURI: "https://App.example.com/in?tenant=1") {
      "https://app.example.com/in?tenant=1&code=c&state=\($0)"
    }
    let error = try await failure(redirectURI: "https://app.example.com/in?tenant=1") {
      "https://app.example.com/in?tenant=12&code=c&state=\($0)"
    }
    #expect(error == .redirectMismatch)
  }

  @Test(
    "A callback at an equal URI is at the redirect URI (RFC 3986 §6.2.3)",
    arguments: [
      ("https://app.example.com", "https://app.example.com/"),
      ("https://app.example.com/", "https://app.example.com"),
      ("https://app.example.com:443/in", "https://app.example.com/in"),
      ("https://app.example.com/in", "https://app.example.com:443/in"),
      ("https://app.example.com:/in", "https://app.example.com/in"),
      ("http://127.0.0.1:80/in", "http://127.0.0.1/in"),
      ("http://[::1]:80", "http://[::1]/"), ("com.example.app://in", "com.example.app://in/"),
    ])
  func equalPlace(redirectURI: String, callback: String) async throws {
    let credential = try await signIn(redirectURI: redirectURI) {
      "\(callback)?code=c&state=\($0)"
    }
    #expect(credential.accessToken == "canary-a")
  }

  @Test(
    "A callback at another port or path than the redirect URI's is refused",
    arguments: [
      ("https://app.example.com/in", "https://app.example.com:80/in"),
      ("http://app.example.com/in", "http://app.example.com:443/in"),
      ("https://app.example.com", "https://app.example.com//"),
      ("https://app.example.com/in", "https://app.example.com/in/"),
      ("com.example.app://in:80", "com.example.app://in"),
      ("com.example.app:", "com.example.app:/"),
      ("http://[::80]", "http://[::]"),
    ])
  func otherPlace(redirectURI: String, callback: String) async throws {
    let error = try await failure(redirectURI: redirectURI) { "\(callback)?code=c&state=\($0)" }
    #expect(error == .redirectMismatch)
    #expect(server.requests.isEmpty)
  }

  @Test(
    "A redirect URI must be absolute and have no fragment", arguments: ["/in", "", "app:/in#x"])
  func badRedirect(redirectURI: String) async throws {
    let error = try await failure(redirectURI: redirectURI) { $0 }
    guard case .invalidURL("redirect URI", _) = error else { throw error }
    #expect(shown.all.isEmpty)
  }

  @Test("A callback of another issuer is refused before its code is used (RFC 9207 §2.4)")
  func issuer() async throws {
    let silent = try server.client()
    let telling = try server.client(sendsIssuer: true)
    let own = "https%3A%2F%2Fid.example.com"
    for (client, issuer) in [
      (silent, "https%3A%2F%2Fevil.example.com"), (silent, own + "%2F"), (silent, ""),
      (telling, "https%3A%2F%2FID.example.com"),
    ] {
      let error = try await failure(client) {
        "\(Self.redirectURI)?code=c&state=\($0)&iss=\(issuer)"
      }
      #expect(error == .issuerMismatch)
    }
    #expect(
      try await failure(telling) { "\(Self.redirectURI)?code=c&state=\($0)" } == .issuerMismatch)
    #expect(
      try await failure(telling) { "\(Self.redirectURI)?error=x&state=\($0)" } == .issuerMismatch)
    #expect(server.requests.isEmpty)
    _ = try await signIn(telling) { "\(Self.redirectURI)?code=c&state=\($0)&iss=\(own)" }
  }

  @Test("A callback with a repeated parameter, or without a code, is malformed (RFC 6749 §3.1)")
  func malformed() async throws {
    for query in ["code=a&code=b&state=", "code=&state=", "x=1&state="] {
      let error = try await failure { "\(Self.redirectURI)?\(query)\($0)" }
      guard case .malformedCallback = error else { throw error }
    }
    let error = try await failure { "\(Self.redirectURI)?code=a&state=\($0)&state=\($0)" }
    #expect(error == .malformedCallback("has a parameter twice"))
    #expect(server.requests.isEmpty)
  }

  @Test("A refusal has the server's text, without control characters and without secrets")
  func refusal() async throws {
    let error = try await failure {
      "\(Self.redirectURI)?error=access_denied&error_description=The+user%1B%5B2J%0A+said+no"
        + "&error_uri=https%3A%2F%2Fid.example.com%2Fwhy&state=\($0)"
    }
    #expect(
      error
        == .refused(
          SignInRefusal(
            code: "access_denied", explanation: "The user[2J said no",
            page: "https://id.example.com/why")))
    #expect("\(error)".contains("access_denied: The user[2J said no"))
    let secretive = try await failure {
      "\(Self.redirectURI)?error=x&error_description=not+\($0)&state=\($0)"
    }
    #expect(secretive == .refused(SignInRefusal(code: "x")))
  }

  @Test("The token endpoint's error is a refusal, and never repeats the code")
  func tokenRefusal() async throws {
    let server = SignInServer([
      "/token": [
        SignInServer.error("invalid_grant", more: #", "error_description": "bad code canary-c""#)
      ]
    ])
    let error = try await failure(server.client()) {
      "\(Self.redirectURI)?code=canary-c&state=\($0)"
    }
    #expect(error == .refused(SignInRefusal(code: "invalid_grant")))
  }

  @Test(
    "A response without a token fails the sign-in",
    arguments: [
      (#"{"access_token": ""}"#, 200), (#"{"access_token": "a", "token_type": "mac"}"#, 200),
      ("<html>", 200), ("", 500), ("nothing", 400),
    ])
  func noToken(body: String, status: Int) async throws {
    let server = SignInServer(["/token": [.json(body, status: status)]])
    let client = try server.client()
    await #expect(throws: (any Error).self) {
      try await signIn(client) { "\(Self.redirectURI)?code=c&state=\($0)" }
    }
  }

  @Test("A server that supports only plain challenges is not used (RFC 9700 §2.1.1)")
  func plain() async throws {
    let client = try server.client(methods: ["plain"])
    let error = try await failure(client) { $0 }
    #expect(error == .notSupported("S256 in code_challenge_methods_supported"))
    #expect(shown.all.isEmpty)
    let able = try server.client(methods: ["plain", "S256"])
    _ = try await signIn(able) { "\(Self.redirectURI)?code=c&state=\($0)" }
  }

  @Test("Neither the app nor the endpoint can replace parameters that the grant sets")
  func reserved() async throws {
    let error = await #expect(throws: SignInError.self) {
      try await signIn(parameters: [URLQueryItem(name: "code_challenge_method", value: "plain")]) {
        $0
      }
    }
    #expect(error == .reservedParameter("code_challenge_method"))
    let client = try server.client(
      authorizationEndpoint: "https://id.example.com/authorize?redirect_uri=https://evil")
    guard case .invalidURL = try await failure(client, answering: { $0 }) else {
      Issue.record("taken")
      return
    }
  }

  @Test("A request that is too long for a URL is refused before the browser is shown")
  func longRequest() async throws {
    let error = await #expect(throws: SignInError.self) {
      let long = String(repeating: "a", count: 1 << 20)
      return try await signIn(parameters: [URLQueryItem(name: "login_hint", value: long)]) { $0 }
    }
    guard case .invalidURL("authorization_endpoint", _) = error else { throw TestFailure() }
    #expect(shown.all.isEmpty)
  }

  @Test("An endpoint keeps its own query (RFC 6749 §3.1)")
  func endpointQuery() async throws {
    let client = try server.client(
      authorizationEndpoint: "https://id.example.com/authorize?p=B2C%20in")
    _ = try await signIn(client) { "\(Self.redirectURI)?code=c&state=\($0)" }
    #expect(shown.all.first?.values(of: "p") == ["B2C in"])
  }

  @Test("A client that knows only its token endpoint cannot sign in, and the error says so")
  func noEndpoint() async throws {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "app", authentication: .none,
      transport: server)
    #expect(
      try await failure(client) { $0 } == .notSupported("authorization_endpoint"))
  }

  @Test("An error that the closure throws fails the sign-in unchanged")
  func thrown() async throws {
    let grant = AuthorizationCodeGrant(try server.client(), redirectURI: Self.redirectURI) { _ in
      throw TestFailure()
    }
    await #expect(throws: TestFailure.self) {
      try await grant.credential(at: { WallClock.start }).value
    }
  }
}
