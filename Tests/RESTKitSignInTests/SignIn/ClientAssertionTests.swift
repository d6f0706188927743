import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

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
    let assertion = ClientAssertion(
      algorithm: "ES256", keyID: "k1", lifetime: .seconds(90), now: { WallClock.start }
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
      #expect(claims["aud"] as? String == "https://id.example.com/token")
      #expect(claims["iat"] as? Int == 1_770_000_000)
      #expect(claims["exp"] as? Int == 1_770_000_090)
      ids.insert(try #require(claims["jti"] as? String))
    }
    #expect(ids.count == 2)
    let form = try #require(server.forms(at: "/token").first)
    #expect(
      form.contains(
        "&client_id=app&client_assertion_type="
          + "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion="))
    #expect(server.requests.first?.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test("The audience may be another one, and the key may have no name")
  func audience() async throws {
    try await refresh(
      ClientAssertion(algorithm: "RS256", audience: SignInServer.issuer) { _ in Data() })
    let parts = try #require(assertions.first).split(
      separator: ".", omittingEmptySubsequences: false)
    #expect(try members(parts[0])["kid"] == nil)
    #expect(try members(parts[1])["aud"] as? String == SignInServer.issuer)
  }

  @Test("A closure may give the whole assertion")
  func whole() async throws {
    try await refresh(ClientAssertion { "\($0.clientID) at \($0.tokenEndpoint)" })
    #expect(assertions == ["app at https://id.example.com/token"])
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
