import Foundation
import RESTKit
import RESTKitSignIn
import Streams

/// The examples of Docs/SignIn.md.
struct SignInExamples {
  // snippet: server
  func makeClient(transport: any Transport = .shared) async throws -> OAuthClient {
    let server = try await AuthorizationServer.discover(
      issuer: "https://id.example.com", transport: transport
    ).value
    return OAuthClient(
      server: server, id: "shop-tool", authentication: .none, transport: transport)
  }
  // end

  // snippet: tool
  func signInWithBrowser(
    to session: TokenSession, _ client: OAuthClient,
    open: @escaping @Sendable (URL) async throws -> Void
  ) async throws {
    let grant = AuthorizationCodeGrant(client, scope: "orders", open: open)
    try await session.signIn(with: grant).value
  }
  // end

  // snippet: app
  func signInFromApp(
    to session: TokenSession, _ client: OAuthClient,
    authenticate: @escaping @Sendable (URL) async throws -> URL
  ) -> AnyPublisher<Void, any Error> {
    session.signIn(
      with: AuthorizationCodeGrant(
        client, scope: "orders", redirectURI: "com.example.shop:/signed-in",
        authorize: authenticate))
  }
  // end

  // snippet: device
  func signInDevice(
    to session: TokenSession, _ client: OAuthClient, scheduler: any Scheduler,
    show: @escaping @Sendable (DeviceAuthorization) -> Void
  ) -> AnyPublisher<Void, any Error> {
    session.signIn(
      with: DeviceAuthorizationGrant(client, scope: "orders", scheduler: scheduler, show: show))
  }
  // end

  // snippet: key
  func makeClient(
    at server: AuthorizationServer, sign: @escaping @Sendable (Data) async throws -> Data,
    transport: any Transport = .shared
  ) -> OAuthClient {
    let assertion = ClientAssertion(
      for: server, algorithm: "ES256", keyID: "2026-11", sign: sign)
    return OAuthClient(
      server: server, id: "shop-backend", authentication: .assertion(assertion),
      transport: transport)
  }
  // end

  // snippet: out
  func signOut(of session: TokenSession, _ client: OAuthClient) async throws {
    try await session.signOut(revokingWith: OAuthRevocation(client)).value
  }
  // end

  // snippet: json
  func makeSession(transport: any Transport) -> TokenSession {
    TokenSession(
      grant: JSONRefreshGrant(
        baseURL: "https://id.example.com", endpoint: "refresh", names: Self.names,
        transport: transport))
  }

  func signIn(
    to session: TokenSession, name: String, password: String, transport: any Transport
  ) -> AnyPublisher<Void, any Error> {
    session.signIn(
      with: JSONSignInGrant(
        baseURL: "https://id.example.com", endpoint: "login",
        body: .json(["name": name, "password": password]), names: Self.names,
        transport: transport))
  }

  /// Reads `{"access_token": "…", "refresh_token": "…", "expires_in_ms": 300000, "user_id": "ada",
  /// "device_id": "JLAFKJWSCS"}`.
  static let names = JSONRefreshGrant.Names(
    sentRefreshToken: "refresh_token", lifetime: "expires_in_ms", account: "user_id",
    extras: ["device_id"])
  // end

  // snippet: form
  func signIn(
    to session: TokenSession, with api: ShopAPI, name: String, password: String
  ) -> AnyPublisher<Void, any Error> {
    let grant = ClosureSignIn { date in
      api.post(endpoint: "login", body: .form(["name": name, "password": password]))
        .decode(type: TokenResponse.self)
        .map { Credential($0, issuedAt: date, account: name) }
    }
    return session.signIn(with: grant)
  }
  // end

  // snippet: logout
  func logOut(of session: TokenSession, _ api: ShopAPI) -> AnyPublisher<Void, any Error> {
    let revocation = ClosureRevocation { credential in
      api.post(endpoint: "logout") { $0.addingBearerAuthorization(token: credential.accessToken) }
    }
    return session.signOut(revokingWith: revocation)
  }
  // end
}
