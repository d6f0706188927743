import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.SignIn {
  @Suite("By code, at Canaille")
  struct Identity {
    private static let redirectURI = "org.example.shop:/signed-in"

    @Test(
      "a client with no secret, a secret or a private key signs a user in and refreshes",
      arguments: IdentityServer.Proof.allCases)
    func proofs(proof: IdentityServer.Proof) async throws {
      let (server, client, registration) = try await makeClient(proof)
      let store = MemoryTokenStore()
      let session = TokenSession(of: client, storingIn: store)

      try await session.signIn(with: grant(client, .accept, server, registration)).value

      let first = try #require(store.read())
      #expect(try await server.status(of: first.accessToken) == 200)
      let renewed = try await RefreshTokenGrant(client).token(renewing: first).value
      #expect(renewed.accessToken != first.accessToken)
      #expect(try await server.status(of: renewed.accessToken) == 200)
    }

    @Test("a declined sign-in reports the server's error, and the user stays signed out")
    func declined() async throws {
      let (server, client, registration) = try await makeClient(.none)
      let store = MemoryTokenStore()
      let error = await #expect(throws: SignInError.self) {
        try await TokenSession(of: client, storingIn: store)
          .signIn(with: grant(client, .deny, server, registration)).value
      }
      guard case .refused(let refusal) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(refusal.code == "access_denied")
      #expect(refusal.explanation?.contains("denied the request") == true)
      #expect(store.read() == nil)
    }

    @Test("a key that the server does not know does not authenticate the client")
    func strangeKey() async throws {
      let (server, _, registration) = try await makeClient(.key)
      let (_, _, other) = try await makeClient(.key)
      let metadata = try await server.discovered()
      let client = OAuthClient(
        server: metadata, id: registration.id,
        authentication: .assertion(
          try SigningKey(#require(other.key))
            .assertion(for: metadata, keyID: registration.keyID)),
        transport: server.transport)
      let error = await #expect(throws: SignInError.self) {
        try await grant(client, .accept, server, registration).credential(at: { Date() }).value
      }
      #expect(error?.refusalCode == "invalid_client")
    }

    @Test("metadata with another issuer is refused, and so is its callback")
    func issuer() async throws {
      let server = try IdentityServer()
      await #expect(throws: SignInError.issuerMismatch) {
        try await AuthorizationServer.discover(
          issuer: server.baseURL + "/", transport: server.transport
        ).value
      }

      let (_, _, registration) = try await makeClient(.none)
      let honest = try await server.discovered()
      let mixedUp = try AuthorizationServer(
        issuer: "https://elsewhere.example", tokenEndpoint: honest.tokenEndpoint,
        authorizationEndpoint: honest.authorizationEndpoint)
      let client = OAuthClient(
        server: mixedUp, id: registration.id, authentication: .none, transport: server.transport)
      await #expect(throws: SignInError.issuerMismatch) {
        try await grant(client, .accept, server, registration).credential(at: { Date() }).value
      }
    }

    @Test("a token that was revoked at sign-out no longer grants access")
    func revocation() async throws {
      let (server, client, registration) = try await makeClient(.secret)
      let store = MemoryTokenStore()
      let session = TokenSession(of: client, storingIn: store)
      try await session.signIn(with: grant(client, .accept, server, registration)).value
      let credential = try #require(store.read())

      try await session.signOut(revokingWith: OAuthRevocation(client)).value

      #expect(store.read() == nil)
      #expect(try await server.status(of: credential.accessToken) == 401)
      await #expect(throws: GrantError.self) {
        try await RefreshTokenGrant(client).token(renewing: credential).value
      }
    }

    @Test("a revocation that the server cannot take is not sent, and the user is signed out anyway")
    func refusedRevocation() async throws {
      // The server accepts only a secret at its revocation endpoint, and its metadata says so.
      let (server, client, registration) = try await makeClient(.key)
      let store = MemoryTokenStore()
      let session = TokenSession(of: client, storingIn: store)
      try await session.signIn(with: grant(client, .accept, server, registration)).value
      let error = await #expect(throws: SignInError.self) {
        try await session.signOut(revokingWith: OAuthRevocation(client)).value
      }
      #expect(
        error == .notSupported("private_key_jwt in revocation_endpoint_auth_methods_supported"))
      #expect(store.read() == nil)
    }

    private func grant(
      _ client: OAuthClient, _ decision: BrowsingUser.Decision, _ server: IdentityServer,
      _ registration: IdentityRegistration
    ) -> AuthorizationCodeGrant {
      let user = BrowsingUser(of: server, registration)
      return AuthorizationCodeGrant(
        client, scope: "openid profile", redirectURI: Self.redirectURI
      ) {
        try await user.decide(decision, at: $0)
      }
    }

    private func makeClient(
      _ proof: IdentityServer.Proof
    ) async throws -> (IdentityServer, OAuthClient, IdentityRegistration) {
      let server = try IdentityServer()
      let registration = try await server.register(proof, redirectURI: Self.redirectURI)
      let metadata = try await server.discovered()
      let authentication: ClientAuthentication =
        switch proof {
        case .none: .none
        case .secret: .basic(secret: registration.secret)
        case .key:
          .assertion(
            try SigningKey(#require(registration.key))
              .assertion(for: metadata, keyID: registration.keyID))
        }
      let client = OAuthClient(
        server: metadata, id: registration.id,
        authentication: authentication, transport: server.transport)
      return (server, client, registration)
    }
  }
}

extension IdentityServer {
  /// The server's metadata.
  func discovered() async throws -> AuthorizationServer {
    try await AuthorizationServer.discover(issuer: baseURL, transport: transport).value
  }
}
