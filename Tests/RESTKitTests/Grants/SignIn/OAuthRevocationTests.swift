import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Revocation of tokens", .leakFree)
struct OAuthRevocationTests {
  private func revoke(
    _ credential: Credential = .signedIn, at server: SignInServer
  ) async throws {
    try await OAuthRevocation(server.client()).revocation(of: credential).value
  }

  @Test("The refresh token is revoked first, and then the access token (RFC 7009 §2.1)")
  func both() async throws {
    let server = SignInServer(["/revoke": [.json("")]])
    try await revoke(at: server)
    #expect(
      server.forms(at: "/revoke") == [
        "token=canary-r&token_type_hint=refresh_token&client_id=app",
        "token=canary-a&token_type_hint=access_token&client_id=app",
      ])
  }

  @Test("Without a refresh token only the access token is revoked", arguments: [nil, ""])
  func accessToken(refreshToken: String?) async throws {
    let server = SignInServer(["/revoke": [.json("")]])
    try await revoke(Credential(accessToken: "a", refreshToken: refreshToken), at: server)
    #expect(
      server.forms(at: "/revoke") == ["token=a&token_type_hint=access_token&client_id=app"])
  }

  @Test("A server that revokes only refresh tokens is enough (RFC 7009 §2.2.1)")
  func unsupported() async throws {
    let unsupported = SignInServer.error("unsupported_token_type")
    try await revoke(at: SignInServer(["/revoke": [.json(""), unsupported]]))
    await #expect(throws: SignInError.refused(SignInRefusal(code: "unsupported_token_type"))) {
      try await revoke(at: SignInServer(["/revoke": [unsupported]]))
    }
    await #expect(throws: SignInError.self) {
      try await revoke(Credential(accessToken: "a"), at: SignInServer(["/revoke": [unsupported]]))
    }
  }

  @Test("A failure is reported, and its text does not repeat the token")
  func failures() async throws {
    let telling = SignInServer.error(
      "invalid_client", status: 401, more: #", "error_description": "for canary-r""#)
    await #expect(throws: SignInError.refused(SignInRefusal(code: "invalid_client"))) {
      try await revoke(at: SignInServer(["/revoke": [telling]]))
    }
    let error = await #expect(throws: RESTError.self) {
      try await revoke(at: SignInServer(["/revoke": [.json("", status: 503)]]))
    }
    #expect(error?.kind == .status(503))
  }

  @Test("A client without a revocation endpoint says so")
  func noEndpoint() async throws {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "app", authentication: .none,
      transport: SignInServer())
    await #expect(throws: SignInError.notSupported("revocation_endpoint")) {
      try await OAuthRevocation(client).revocation(of: .signedIn).value
    }
  }
}
