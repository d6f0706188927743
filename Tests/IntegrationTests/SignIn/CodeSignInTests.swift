import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.SignIn {
  @Suite("By code, at django-oauth-toolkit")
  struct Code {
    @Test(
      "an app's user consents, and the app calls the API and refreshes",
      arguments: TransportKind.allCases,
      [false, true])
    func app(kind: TransportKind, isPublic: Bool) async throws {
      let server = try OAuthServer(kind)
      let redirectURI = "https://shop.example/signed-in?from=app"
      let (client, registration) = try await server.makeClient(
        isPublic: isPublic, redirectURI: redirectURI)
      let user = BrowsingUser(of: server, registration)
      let store = MemoryTokenStore()
      let session = TokenSession(of: client, storingIn: store)

      let grant = AuthorizationCodeGrant(client, scope: "read", redirectURI: redirectURI) {
        try await user.decide(.accept, at: $0)
      }
      try await session.signIn(with: grant).value

      let first = try #require(store.read())
      #expect(first.scope == "read")
      #expect(first.expiresAt != nil)
      let owner = OAuthServer.Owner(user: registration.username)
      #expect(try await server.owner(by: session) == owner)

      var stale = first
      stale.accessToken = "refused"
      try session.replaceCredential(with: stale)
      #expect(try await server.owner(by: session) == owner)
      #expect(store.read()?.refreshToken != first.refreshToken)
      #expect(
        try await server.log(of: registration).map(\.description)
          == ["authorization_code → 200", "refresh_token → 200"])
    }

    @Test("a tool's user consents, and the loopback listener receives the response")
    func loopback() async throws {
      let server = try OAuthServer(.default)
      let (client, registration) = try await server.makeClient()
      let user = BrowsingUser(of: server, registration)
      let store = MemoryTokenStore()
      let visits = Lock<[Task<Browser.Place, any Error>]>([])

      let grant = AuthorizationCodeGrant(client, scope: "read") { url in
        let callback = try await user.decide(.accept, at: url)
        // A browser lives on when the sign-in has ended.
        let visit = Task {
          try await Browser(at: callback.origin, over: server.transport).open(callback)
        }
        visits.withLock { $0.append(visit) }
      }
      try await TokenSession(of: client, storingIn: store).signIn(with: grant).value

      #expect(try await server.status(of: #require(store.read()).accessToken) == 200)
      guard case .page(let page) = try await visits.withLock({ $0 }).first?.value else {
        Issue.record("the listener gave the browser no page")
        return
      }
      #expect(page.text.contains("You can close this window"))
    }

    @Test("a loopback redirect can have a fixed port and its own path")
    func fixedPort() async throws {
      let probe = socket(AF_INET, RawSocket.streamType, 0)
      let port = try RawSocket.listen(probe)
      close(probe)
      let server = try OAuthServer(.default)
      let (client, registration) = try await server.makeClient(
        redirectURI: "http://127.0.0.1:\(port)/a/b")
      let user = BrowsingUser(of: server, registration)
      let store = MemoryTokenStore()

      let grant = AuthorizationCodeGrant(
        client, loopback: LoopbackRedirect(path: "/a/b", port: port)
      ) { url in
        let callback = try await user.decide(.accept, at: url)
        #expect(callback.port == Int(port))
        _ = try await Browser(at: callback.origin, over: server.transport).open(callback)
      }
      try await TokenSession(of: client, storingIn: store).signIn(with: grant).value

      #expect(try await server.status(of: #require(store.read()).accessToken) == 200)
    }

    @Test("a server that does not know the client sends no callback")
    func unknownClient() async throws {
      let server = try OAuthServer(.default)
      let (_, registration) = try await server.makeClient()
      let user = BrowsingUser(of: server, registration)
      let stranger = OAuthClient(
        server: try await server.discovered(), id: "nobody", authentication: .none,
        transport: server.transport)
      let grant = AuthorizationCodeGrant(stranger, redirectURI: "http://127.0.0.1/callback") {
        try await user.decide(.accept, at: $0)
      }
      await #expect(throws: BrowsingUser.Unanswered.self) {
        try await grant.credential(at: { Date() }).value
      }
    }

    @Test("a wrong secret is refused with the server's error, and the user is not signed in")
    func wrongSecret() async throws {
      let server = try OAuthServer(.default)
      let (_, registration) = try await server.makeClient(isPublic: false)
      let user = BrowsingUser(of: server, registration)
      let client = OAuthClient(
        server: try await server.discovered(), id: registration.id,
        authentication: .basic(secret: "wrong"), transport: server.transport)
      let store = MemoryTokenStore()
      let grant = AuthorizationCodeGrant(client, redirectURI: "http://127.0.0.1/callback") {
        try await user.decide(.accept, at: $0)
      }
      let error = await #expect(throws: SignInError.self) {
        try await TokenSession(of: client, storingIn: store).signIn(with: grant).value
      }
      #expect(error?.refusalCode == "invalid_client")
      #expect(store.read() == nil)
    }

    @Test("a code works once, so the callback of one sign-in does not complete another")
    func replay() async throws {
      let server = try OAuthServer(.default)
      let (client, registration) = try await server.makeClient()
      let user = BrowsingUser(of: server, registration)
      let callbacks = Lock<[URL]>([])
      let uri = "http://127.0.0.1/callback"
      let first = AuthorizationCodeGrant(client, redirectURI: uri) {
        let callback = try await user.decide(.accept, at: $0)
        callbacks.withLock { $0.append(callback) }
        return callback
      }
      _ = try await first.credential(at: { Date() }).value
      let callback = try #require(callbacks.withLock { $0.first })
      let second = AuthorizationCodeGrant(client, redirectURI: uri) { _ in callback }
      await #expect(throws: SignInError.stateMismatch) {
        try await second.credential(at: { Date() }).value
      }
      #expect(try await server.log(of: registration).count == 1)
    }
  }
}
