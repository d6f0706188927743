import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests {
  /// A server that issues, rotates, refuses and revokes tokens by its own rules.
  @Suite(
    "Against django-oauth-toolkit",
    .enabled(
      if: OAuthServer.address != nil,
      "RESTKIT_OAUTH_URL is not set; Tests/IntegrationTests/run.sh installs it"))
  enum OAuth {}
}

extension IntegrationTests.OAuth {
  @Suite("Grants")
  struct Grants {
    @Test(
      "a user signs in, and the token grants access to the API", arguments: TransportKind.allCases)
    func password(kind: TransportKind) async throws {
      let server = try OAuthServer(kind)
      let registration = try await server.register(lifetime: 60)
      let response = try await server.signIn(registration)
      #expect(response.lifetime == .seconds(60))
      #expect(response.scope == "read")
      #expect(try await server.status(of: response.accessToken) == 200)
      #expect(try await server.log(of: registration) == [.init(grant: "password", status: 200)])
    }

    @Test("a client authenticates in the header, in the form, or not at all")
    func authentication() async throws {
      let server = try OAuthServer(.default)
      for isPublic in [false, true] {
        let registration = try await server.register(lifetime: 60, isPublic: isPublic)
        let ways: [ClientAuthentication] =
          isPublic
          ? [.none]
          : [.basic(secret: registration.secret), .form(secret: registration.secret)]
        for way in ways {
          let first = try await server.signIn(registration, way)
          let second = try await RefreshTokenGrant(server.client(registration, way))
            .token(renewing: Credential(first)).value
          #expect(try await server.status(of: second.accessToken) == 200)
        }
      }
    }

    @Test("a wrong secret is the client's failure, and keeps the session")
    func wrongSecret() async throws {
      let server = try OAuthServer(.default)
      let registration = try await server.register(lifetime: 60)
      let credential = Credential(try await server.signIn(registration))
      for way in [ClientAuthentication.basic(secret: "wrong"), .form(secret: "wrong"), .none] {
        let grant = RefreshTokenGrant(server.client(registration, way))
        let failure = await #expect(throws: GrantError.self) {
          try await grant.token(renewing: credential).value
        }
        guard case .transient(let cause as RESTError, _) = failure else {
          Issue.record("\(way): \(String(describing: failure))")
          continue
        }
        #expect(cause.kind == .status(401))
      }
      // The credential is still good.
      _ = try await RefreshTokenGrant(server.client(registration))
        .token(renewing: credential).value
    }

    @Test(
      "a refresh rotates both tokens, and the old refresh token is refused permanently",
      arguments: TransportKind.allCases)
    func rotation(kind: TransportKind) async throws {
      let server = try OAuthServer(kind)
      let registration = try await server.register(lifetime: 60)
      let grant = RefreshTokenGrant(server.client(registration))
      let first = try await server.signIn(registration)
      let second = try await grant.token(renewing: Credential(first)).value
      #expect(second.accessToken != first.accessToken)
      #expect(second.refreshToken != nil)
      #expect(second.refreshToken != first.refreshToken)
      #expect(try await server.status(of: first.accessToken) == 401)
      #expect(try await server.status(of: second.accessToken) == 200)

      let failure = await #expect(throws: GrantError.self) {
        try await grant.token(renewing: Credential(first)).value
      }
      guard case .permanent(let cause as RESTError) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(cause.kind == .status(400))
      #expect(
        try await server.log(of: registration) == [
          .init(grant: "password", status: 200), .init(grant: "refresh_token", status: 200),
          .init(grant: "refresh_token", status: 400),
        ])
    }

    @Test("a wrong password is a permanent failure")
    func wrongPassword() async throws {
      let server = try OAuthServer(.default)
      let registration = try await server.register(lifetime: 60)
      let grant = PasswordGrant(
        server.client(registration), username: registration.username, password: "wrong")
      let failure = await #expect(throws: GrantError.self) {
        try await grant.token(renewing: nil).value
      }
      guard case .permanent = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }

    @Test("a scope that the client may not request does not end the session")
    func scope() async throws {
      let server = try OAuthServer(.default)
      let registration = try await server.register(lifetime: 60)
      let credential = Credential(try await server.signIn(registration))
      let greedy = RefreshTokenGrant(server.client(registration), scope: "read nonsense")
      let failure = await #expect(throws: GrantError.self) {
        try await greedy.token(renewing: credential).value
      }
      guard case .transient = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }
  }
}
