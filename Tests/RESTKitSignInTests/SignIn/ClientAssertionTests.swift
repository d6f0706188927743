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

@Suite("A client that authenticates with a private key (RFC 7523)", .leakFree)
struct ClientAssertionTests {
  private let server = SignInServer(["/token": [SignInServer.token]])

  /// The assertion of each form that the server got.
  private var assertions: [String] {
    server.forms(at: "/token").compactMap { form in
      [URLQueryItem].pairs(of: Substring(form)).first { $0.name == "client_assertion" }?.value
    }
  }

  private func refresh(_ assertion: ClientAssertion) async throws {
    _ = try await RefreshTokenGrant(server.client(.assertion(assertion)))
      .token(renewing: .signedIn).value
  }

  /// A part of a JWT.
  private func members(_ part: Substring) throws -> [String: any Sendable] {
    let text = part.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    let data = try #require(Data(base64Encoded: text + padding))
    return try #require(
      try JSONSerialization.jsonObject(with: data) as? [String: any Sendable])
  }

  @Test("The form has a signed JWT with the claims of RFC 7523 §3, a new one each time")
  func claims() async throws {
    let signed = ValueLog<Data>()
    let assertion = try ClientAssertion(
      for: server.metadata, algorithm: "ES256", keyID: "k1", lifetime: .seconds(90),
      now: { WallClock.start }
    ) { bytes in
      signed.add(bytes)
      return Data([0xfb, 0xff])
    }
    try await refresh(assertion)
    try await refresh(assertion)
    #expect(assertions.count == 2)
    var ids: Set<String> = []
    for (assertion, bytes) in zip(assertions, signed.all) {
      let parts = assertion.split(separator: ".")
      try #require(parts.count == 3)
      #expect(parts[2] == "-_8")
      #expect(String(decoding: bytes, as: UTF8.self) == "\(parts[0]).\(parts[1])")
      let header = try members(parts[0])
      #expect(header["alg"] as? String == "ES256")
      #expect(header["kid"] as? String == "k1")
      #expect(header["typ"] as? String == "JWT")
      let claims = try members(parts[1])
      #expect(claims["iss"] as? String == "app")
      #expect(claims["sub"] as? String == "app")
      #expect(claims["aud"] as? String == "https://id.example.com")
      #expect(claims["iat"] as? Int == 1_770_000_000)
      #expect(claims["exp"] as? Int == 1_770_000_090)
      ids.insert(try #require(claims["jti"] as? String))
    }
    #expect(ids.count == 2)
    // 128 random bits, in base64url.
    #expect(ids.map(\.count) == [22, 22])
    let form = try #require(server.forms(at: "/token").first)
    #expect(
      form.contains(
        "&client_id=app&client_assertion_type="
          + "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion="))
    #expect(server.requests.first?.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test("The audience may be another one, and the key may have no name")
  func audience() async throws {
    let audiences = ["https://id.example.com/token", "https://id.example.com/v2", "urn:shop"]
    try await refresh(
      ClientAssertion(for: server.metadata, algorithm: "RS256", audience: .tokenEndpoint) { _ in
        Data()
      })
    for audience in audiences.dropFirst() {
      try await refresh(
        ClientAssertion(algorithm: "RS256", audience: audience, now: { WallClock.start }) { _ in
          Data()
        })
    }
    let parts = assertions.map { $0.split(separator: ".", omittingEmptySubsequences: false) }
    #expect(try parts.map { try members($0[0])["kid"] == nil } == [true, true, true])
    #expect(try parts.map { try members($0[1])["aud"] as? String } == audiences)
    let ends = try parts.dropFirst().map { try members($0[1])["exp"] as? Int }
    #expect(ends == [1_770_000_060, 1_770_000_060])
  }

  @Test("A client that knows only the token endpoint sends the audience that it was given")
  func withoutMetadata() async throws {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "app",
      authentication: .assertion(
        ClientAssertion(algorithm: "RS256", audience: "https://accounts.example.org") { _ in
          Data()
        }),
      transport: server)
    _ = try await RefreshTokenGrant(client).token(renewing: .signedIn).value
    let parts = try #require(assertions.first).split(
      separator: ".", omittingEmptySubsequences: false)
    #expect(try members(parts[1])["aud"] as? String == "https://accounts.example.org")
  }

  /// A server whose metadata name endpoints of others.
  private static func metadata(
    issuer: String, token: String, revocation: String? = nil
  ) throws -> AuthorizationServer {
    try AuthorizationServer(
      issuer: issuer, tokenEndpoint: token, revocationEndpoint: revocation)
  }

  /// A JWT with these recipients, which a closure made.
  private static func jwt(_ audience: String) -> ClientAssertion {
    ClientAssertion { _ in
      "e30.\(Data(#"{"aud": \#(audience)}"#.utf8).base64URLText).c2ln"
    }
  }

  private func expectRefusal(
    _ assertion: ClientAssertion, by server: AuthorizationServer,
    audience: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let client = OAuthClient(
      server: server, id: "app", authentication: .assertion(assertion), transport: self.server)
    let error = await #expect(throws: GrantError.self, sourceLocation: sourceLocation) {
      try await RefreshTokenGrant(client).token(renewing: .signedIn).value
    }
    guard case .transient(let cause, _) = error else { throw TestFailure() }
    let refusal = ClientAssertionError(audience: audience, endpoint: server.tokenEndpoint)
    #expect(cause as? ClientAssertionError == refusal, sourceLocation: sourceLocation)
    #expect(self.server.requests.isEmpty, sourceLocation: sourceLocation)
  }

  @Test("Metadata of one server never sends an assertion for another")
  func otherServer() async throws {
    let evil = try Self.metadata(
      issuer: "https://evil.example.org", token: "https://evil.example.org/token")
    let own = try server.metadata
    for audience in [ClientAssertion.Audience.issuer, .tokenEndpoint] {
      try await expectRefusal(
        ClientAssertion(for: own, algorithm: "RS256", audience: audience) { _ in Data() },
        by: evil, audience: SignInServer.issuer)
    }
    try await expectRefusal(
      ClientAssertion(algorithm: "RS256", audience: SignInServer.issuer) { _ in Data() },
      by: evil, audience: SignInServer.issuer)
    for audience in [#""https://id.example.com/token""#, #"["urn:x", "https://id.example.com"]"#] {
      try await expectRefusal(
        Self.jwt(audience), by: evil,
        audience: audience.contains("token")
          ? "https://id.example.com/token" : "https://id.example.com")
    }
  }

  @Test("Of two servers with one origin, the assertion goes to its own only")
  func realms() async throws {
    let base = "https://id.example.com/realms"
    let one = try Self.metadata(issuer: "\(base)/one", token: "\(base)/one/token")
    let two = try Self.metadata(issuer: "\(base)/two", token: "\(base)/two/token")
    try await expectRefusal(
      ClientAssertion(for: one, algorithm: "RS256") { _ in Data() }, by: two,
      audience: "\(base)/one")
  }

  @Test("A token endpoint as the audience goes to no other server's revocation endpoint")
  func mixedMetadata() async throws {
    let mixed = try Self.metadata(
      issuer: "https://evil.example.org", token: "https://id.example.com/token",
      revocation: "https://evil.example.org/revoke")
    let client = OAuthClient(
      server: mixed, id: "app",
      authentication: .assertion(
        ClientAssertion(for: mixed, algorithm: "RS256", audience: .tokenEndpoint) { _ in Data() }),
      transport: server)
    let error = ClientAssertionError(
      audience: "https://id.example.com/token", endpoint: "https://evil.example.org/revoke")
    await #expect(throws: error) {
      try await OAuthRevocation(client).revocation(of: .signedIn).value
    }
    #expect(server.requests.isEmpty)
    #expect("\(error)".contains("https://evil.example.org/revoke"))
    #expect("\(error)".contains("Make the assertion for the server"))
  }

  @Test("A closure may give the whole assertion")
  func whole() async throws {
    try await refresh(
      ClientAssertion { "\($0.clientID) of \($0.issuer ?? "") at \($0.tokenEndpoint)" })
    #expect(assertions == ["app of https://id.example.com at https://id.example.com/token"])
  }

  @Test("An unusable key fails the request, and keeps the session")
  func noKey() async throws {
    let error = await #expect(throws: GrantError.self) {
      try await refresh(ClientAssertion { _ in throw TestFailure() })
    }
    guard case .transient(let cause, _) = error else { throw TestFailure() }
    #expect(cause is TestFailure)
    #expect(server.requests.isEmpty)
  }
}
