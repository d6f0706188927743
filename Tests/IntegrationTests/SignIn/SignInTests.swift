import Foundation
import RESTKit
import RESTKitSignIn
import Streams
import Testing

extension IntegrationTests {
  /// Two independent servers: django-oauth-toolkit and Canaille.
  @Suite(
    "Sign-in",
    .enabled(
      if: OAuthServer.address != nil && IdentityServer.address != nil,
      "RESTKIT_IDENTITY_URL is not set; Tests/IntegrationTests/run.sh installs it"))
  enum SignIn {}
}

extension OAuthServer {
  var issuer: String { baseURL + "/o" }

  /// The server's metadata.
  func discovered() async throws -> AuthorizationServer {
    try await AuthorizationServer.discover(issuer: issuer, transport: transport).value
  }

  /// A client of a grant, and how the server knows it.
  func makeClient(
    grant: String = "authorization-code", isPublic: Bool = true,
    redirectURI: String = "http://127.0.0.1/callback", slowDown: Int? = nil
  ) async throws -> (client: OAuthClient, registration: OAuthRegistration) {
    let registration = try await register(
      grant: grant, lifetime: 60, isPublic: isPublic, redirectURI: redirectURI, slowDown: slowDown)
    let client = OAuthClient(
      server: try await discovered(), id: registration.id,
      authentication: isPublic ? .none : .basic(secret: registration.secret),
      transport: transport)
    return (client, registration)
  }
}

extension OAuthServer {
  /// Whose the calls of a session are.
  func owner(by session: TokenSession) async throws -> Owner {
    try await session.authorize(me).decode(type: Owner.self).value
  }

  /// Ends the life of a device code.
  func expire(_ userCode: String) async throws {
    _ = try await post(endpoint: "expire", body: .form(["user_code": userCode])).validateStatus()
      .value
  }
}

extension URL {
  /// Scheme, host and port.
  var origin: String { "\(scheme ?? "")://\(host() ?? ""):\(port ?? 80)" }
}

extension TokenSession {
  /// A session that refreshes with the client's tokens, with its own store.
  convenience init(of client: OAuthClient, storingIn store: MemoryTokenStore) {
    self.init(grant: RefreshTokenGrant(client), store: store)
  }
}

extension SignInError {
  /// The code of the server's refusal; nil for all other errors.
  var refusalCode: String? {
    if case .refused(let refusal) = self { refusal.code } else { nil }
  }
}
