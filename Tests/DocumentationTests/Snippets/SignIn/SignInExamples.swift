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

  // snippet: form
  struct FormSignIn: SignInGrant {
    let api: ShopAPI
    let name, password: String

    func credential(
      at now: @escaping @Sendable () -> Date
    ) -> AnyPublisher<Credential, any Error> {
      let form: QueryItems = ["name": name, "password": password]
      return Deferred {
        let date = now()  // before the request
        return api.post(endpoint: "login", body: .form(form), authorization: .none)
          .decode(type: TokenResponse.self)
          .map { [name] in Credential($0, issuedAt: date, account: name) }
      }
      .eraseToAnyPublisher()
    }
  }
  // end
}
