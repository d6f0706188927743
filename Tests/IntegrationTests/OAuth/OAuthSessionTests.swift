import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.OAuth {
  @Suite("A session")
  struct Sessions {
    @Test(
      "TR-01: 100 calls with an expired token make one refresh, and all succeed",
      arguments: TransportKind.allCases)
    func singleFlight(kind: TransportKind) async throws {
      let user = try await SignedInUser(kind, lifetime: 1, refreshedLifetime: 60)
      try await user.server.waitForEnd(of: user.first.accessToken)

      let outcomes = await user.outcomes(ofCalls: 100)

      #expect(try outcomes.map { try $0.get() } == Array(repeating: user.owner, count: 100))
      #expect(try await user.tokenRequests == ["password → 200", "refresh_token → 200"])
      #expect(user.signOuts.isEmpty)
    }

    @Test("TR-07: a rotated refresh token is stored and used for the next refresh")
    func rotation() async throws {
      let user = try await SignedInUser(.default, lifetime: 60)
      var seen = Set([user.first.refreshToken])
      for round in 1...3 {
        var credential = try user.stored
        credential.accessToken = "refused"
        try user.session.replaceCredential(with: credential)
        _ = try await user.call.value
        #expect(try seen.insert(user.stored.refreshToken).inserted)
        #expect(
          try await user.tokenRequests
            == ["password → 200"] + Array(repeating: "refresh_token → 200", count: round))
      }
    }

    @Test("TR-05: a token that is about to expire is refreshed before any request is sent")
    func proactive() async throws {
      let user = try await SignedInUser(.default, lifetime: 60)
      var credential = try user.stored
      credential.expiresAt = Date(timeIntervalSinceNow: 5)
      try user.session.replaceCredential(with: credential)

      let outcomes = await user.outcomes(ofCalls: 20)

      #expect(try outcomes.map { try $0.get() } == Array(repeating: user.owner, count: 20))
      #expect(try await user.tokenRequests == ["password → 200", "refresh_token → 200"])
      #expect(try user.stored.expiresAt.map { $0 > Date(timeIntervalSinceNow: 30) } == true)
    }

    @Test("TR-17: after a revocation all calls fail with one reason, and the session ends once")
    func revocation() async throws {
      let user = try await SignedInUser(.default, lifetime: 60)
      try await user.server.revoke(try #require(user.first.refreshToken), of: user.registration)

      var refusals = 0
      for outcome in await user.outcomes(ofCalls: 100) {
        switch outcome {
        case .failure(TokenSessionError.refreshRefused(let cause as RESTError)):
          #expect(cause.kind == .status(400))
          refusals += 1
        // A call that began when it was over.
        case .failure(TokenSessionError.signedOut): break
        default: Issue.record("\(outcome)")
        }
      }
      #expect(refusals > 0)
      #expect(try await user.tokenRequests == ["password → 200", "refresh_token → 400"])
      #expect(user.signOuts == ["refused"])
      #expect(user.store.read() == nil)

      // It is over: no call asks the server again.
      _ = await user.outcomes(ofCalls: 3)
      #expect(try await user.tokenRequests.count == 2)
      #expect(user.signOuts.count == 1)
    }

    @Test("a refresh token that was used elsewhere ends the session at its next refresh")
    func reuse() async throws {
      let user = try await SignedInUser(.default, lifetime: 1, refreshedLifetime: 60)
      try await user.server.waitForEnd(of: user.first.accessToken)
      _ = try await user.call.value
      await #expect(throws: GrantError.self) {
        try await user.grant.token(renewing: Credential(user.first)).value
      }
      // The server revoked the whole family (RFC 9700 §4.14.2).
      await #expect(throws: TokenSessionError.self) { try await user.call.value }
      #expect(user.signOuts == ["refused"])
      #expect(
        try await user.tokenRequests == [
          "password → 200", "refresh_token → 200", "refresh_token → 400", "refresh_token → 400",
        ])
    }

    @Test("TR-15: a missing scope does not cause a refresh")
    func insufficientScope() async throws {
      let user = try await SignedInUser(.default, lifetime: 60)
      let response = try await user.session.authorize(user.server.get(endpoint: "write")).value
      #expect(response.statusCode == 403)
      #expect(
        response.headers["WWW-Authenticate"]?.contains("error=\"insufficient_scope\"") == true)
      #expect(try await user.tokenRequests == ["password → 200"])
    }

    @Test("a client's own token is fetched once for 100 calls")
    func clientCredentials() async throws {
      let server = try OAuthServer(.default)
      let client = try await OwnClient(server, lifetime: 60)
      #expect(
        try await client.owners(calls: 100)
          == Array(repeating: OAuthServer.Owner(user: nil), count: 100))
      #expect(try await client.tokenRequests == ["client_credentials → 200"])
    }

    @Test("a client's own token is fetched again when it has expired")
    func expiredClientCredentials() async throws {
      let server = try OAuthServer(.default)
      let client = try await OwnClient(server, lifetime: 2)
      _ = try await client.owners(calls: 1)
      try await server.waitForEnd(of: try #require(client.store.read()).accessToken)
      _ = try await client.owners(calls: 1)
      #expect(
        try await client.tokenRequests == Array(repeating: "client_credentials → 200", count: 2))
    }
  }
}

/// A client that calls on its own behalf.
private struct OwnClient {
  private let server: OAuthServer
  private let registration: OAuthRegistration
  private let session: TokenSession
  let store = MemoryTokenStore()

  init(_ server: OAuthServer, lifetime: Int) async throws {
    self.server = server
    registration = try await server.register(grant: "client-credentials", lifetime: lifetime)
    session = TokenSession(
      grant: ClientCredentialsGrant(server.client(registration)), store: store)
  }

  var tokenRequests: [String] {
    get async throws { try await server.log(of: registration).map(\.description) }
  }

  /// The owners that concurrent calls are made for.
  func owners(calls: Int) async throws -> [OAuthServer.Owner] {
    try await withThrowingTaskGroup { group in
      for _ in 0..<calls {
        group.addTask {
          try await session.authorize(server.me).decode(type: OAuthServer.Owner.self).value
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
