import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.SignIn {
  @Suite("Discovery and sign-out, at django-oauth-toolkit")
  struct Toolkit {
    @Test(
      "the metadata of an issuer with a path is found at the well-known location",
      arguments: TransportKind.allCases)
    func discovery(kind: TransportKind) async throws {
      let server = try OAuthServer(kind)
      let found = try await AuthorizationServer.discover(
        issuer: server.issuer, transport: server.transport
      ).value
      #expect(found.issuer == server.issuer)
      #expect(found.tokenEndpoint == server.issuer + "/token/")
      #expect(found.authorizationEndpoint == server.issuer + "/authorize/")
      #expect(found.revocationEndpoint == server.issuer + "/revoke_token/")
      #expect(found.deviceAuthorizationEndpoint == server.issuer + "/device-authorization/")
      #expect(found.codeChallengeMethods == ["S256"])
      #expect(found.sendsIssuer)
    }

    @Test("a server without metadata returns its status at both well-known locations")
    func absent() async throws {
      let error = await #expect(throws: RESTError.self) {
        try await AuthorizationServer.discover(
          issuer: #require(Httpbin.address), transport: TransportKind.default.makeTransport()
        ).value
      }
      #expect(error?.kind == .status(404))
    }

    @Test(
      "tokens that were revoked at sign-out grant no access and no refresh",
      arguments: TransportKind.allCases, [false, true])
    func revocation(kind: TransportKind, isPublic: Bool) async throws {
      let server = try OAuthServer(kind)
      let (client, registration) = try await server.makeClient(isPublic: isPublic)
      let user = BrowsingUser(of: server, registration)
      let store = MemoryTokenStore()
      let session = TokenSession(of: client, storingIn: store)
      let grant = AuthorizationCodeGrant(client, redirectURI: "http://127.0.0.1/callback") {
        try await user.decide(.accept, at: $0)
      }
      try await session.signIn(with: grant).value
      let credential = try #require(store.read())
      #expect(try await server.status(of: credential.accessToken) == 200)

      try await session.signOut(revokingWith: OAuthRevocation(client)).value

      #expect(store.read() == nil)
      #expect(try await server.status(of: credential.accessToken) == 401)
      await #expect(throws: GrantError.self) {
        try await RefreshTokenGrant(client).token(renewing: credential).value
      }
    }

    @Test("another client cannot revoke, and the tokens remain valid")
    func stranger() async throws {
      let server = try OAuthServer(.default)
      let (client, registration) = try await server.makeClient()
      let (other, _) = try await server.makeClient()
      let user = BrowsingUser(of: server, registration)
      let store = MemoryTokenStore()
      let grant = AuthorizationCodeGrant(client, redirectURI: "http://127.0.0.1/callback") {
        try await user.decide(.accept, at: $0)
      }
      try await TokenSession(of: client, storingIn: store).signIn(with: grant).value
      let credential = try #require(store.read())
      _ = try? await OAuthRevocation(other).revocation(of: credential).value
      #expect(try await server.status(of: credential.accessToken) == 200)
    }

    @Test("a declined sign-in at django-oauth-toolkit fails, because its refusal names no issuer")
    func declined() async throws {
      let server = try OAuthServer(.default)
      let (client, registration) = try await server.makeClient()
      let user = BrowsingUser(of: server, registration)
      let grant = AuthorizationCodeGrant(client, redirectURI: "http://127.0.0.1/callback") {
        try await user.decide(.deny, at: $0)
      }
      // The server says that its responses name it, and leaves that out of its refusals.
      await #expect(throws: SignInError.issuerMismatch) {
        try await grant.credential(at: { Date() }).value
      }
    }
  }
}
