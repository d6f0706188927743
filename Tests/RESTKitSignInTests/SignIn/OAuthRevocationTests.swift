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

  @Test(
    "A refusal that repeats the client's secret does not show it",
    arguments: [nil, #"["client_secret_post"]"#, #"["client_secret_basic"]"#])
  func repeatedSecret(methods: String?) async throws {
    let telling = SignInServer.error(
      "invalid_client", status: 401,
      more: #", "error_description": "canary-secret is wrong""#)
    for authentication in [
      ClientAuthentication.basic(secret: "canary-secret"), .form(secret: "canary-secret"),
    ] {
      let server = SignInServer(["/revoke": [telling]])
      let client = try client(authentication, methods: methods, at: server)
      await #expect(throws: SignInError.refused(SignInRefusal(code: "invalid_client"))) {
        try await OAuthRevocation(client).revocation(of: .signedIn).value
      }
    }
  }

  /// Returns a client of a server whose metadata has these methods of the endpoint, as JSON.
  private func client(
    _ authentication: ClientAuthentication, methods: String?, at server: SignInServer
  ) throws -> OAuthClient {
    let member = methods.map { #", "revocation_endpoint_auth_methods_supported": \#($0)"# } ?? ""
    let metadata = #"""
      {"issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
      "revocation_endpoint": "https://id.example.com/revoke"\#(member)}
      """#
    let found = try JSONDecoder().decode(AuthorizationServer.self, from: Data(metadata.utf8))
    // The metadata is the same after encoding and decoding.
    let kept = try JSONDecoder().decode(
      AuthorizationServer.self, from: JSONEncoder().encode(found))
    #expect(kept == found)
    return OAuthClient(server: kept, id: "app", authentication: authentication, transport: server)
  }

  @Test(
    "A client authenticates by a method that the endpoint accepts (RFC 8414 §2)",
    arguments: [
      (false, nil, true), (true, nil, false),
      (false, #"["client_secret_basic", "client_secret_post"]"#, true),
      (true, #"["client_secret_basic", "client_secret_post"]"#, false),
      (false, #"["client_secret_post"]"#, false), (true, #"["none", "client_secret_basic"]"#, true),
    ])
  func methods(hasForm: Bool, methods: String?, isBasic: Bool) async throws {
    let server = SignInServer(["/revoke": [.json("")]])
    let client = try client(
      hasForm ? .form(secret: "s") : .basic(secret: "s"), methods: methods, at: server)
    try await OAuthRevocation(client).revocation(of: Credential(accessToken: "a")).value
    let request = try #require(server.requests.first)
    #expect(
      request.value(forHTTPHeaderField: "Authorization") == (isBasic ? "Basic YXBwOnM=" : nil))
    let form = "token=a&token_type_hint=access_token"
    #expect(
      server.forms(at: "/revoke") == [isBasic ? form : form + "&client_id=app&client_secret=s"])
  }

  @Test("A client without a method that the endpoint accepts fails, and sends nothing")
  func noMethod() async throws {
    let assertion = ClientAssertion { _ in "jwt" }
    for (authentication, methods, name) in [
      (ClientAuthentication.basic(secret: "s"), #"["private_key_jwt"]"#, "client_secret_basic"),
      (.form(secret: "s"), "[]", "client_secret_post"),
      (.assertion(assertion), #"["client_secret_basic"]"#, "private_key_jwt"),
    ] {
      let server = SignInServer(["/revoke": [.json("")]])
      let client = try client(authentication, methods: methods, at: server)
      let error = SignInError.notSupported(
        "\(name) in revocation_endpoint_auth_methods_supported")
      await #expect(throws: error) {
        try await OAuthRevocation(client).revocation(of: .signedIn).value
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("A client without authentication needs no method, and one with a key sends its assertion")
  func otherMethods() async throws {
    let assertion = ClientAssertion { _ in "jwt" }
    for (authentication, methods) in [
      (ClientAuthentication.none, #"["client_secret_basic"]"#),
      (.assertion(assertion), #"["private_key_jwt"]"#),
      (.assertion(assertion), #"["client_secret_jwt"]"#),
    ] {
      let server = SignInServer(["/revoke": [.json("")]])
      let client = try client(authentication, methods: methods, at: server)
      try await OAuthRevocation(client).revocation(of: Credential(accessToken: "a")).value
      #expect(server.requests.count == 1)
    }
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
