import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The places that see a session's token", .leakFree)
struct TokenPlaceTests {
  private static let base = "https://api.example.com"

  private func session(_ transport: any Transport) -> TokenSession {
    TokenSession(
      grant: JSONRefreshGrant(baseURL: Self.base, transport: transport),
      store: MemoryTokenStore(
        Credential(accessToken: "canary-access", refreshToken: "canary-refresh")),
      scheduler: TestScheduler())
  }

  @Test(
    "TR-32 A redirect to another origin carries no token, and its 401 causes no refresh",
    arguments: [
      "https://other.example.com/a", "https://api.example.com:8443/a",
      "https://sub.api.example.com/a",
    ])
  func redirect(target: String) async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.base + "/a"), statusCode: 307,
        headers: ["Location": target]
      )
      .thenRespondWith(request: .init(.get, urlString: target), statusCode: 401))
    let api = TestAPI(baseURL: Self.base, transport: stubs)
    let response = try await session(stubs).authorize(api.get(endpoint: "a")).value
    #expect(response.statusCode == 401)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
        "Bearer canary-access", nil,
      ])
    try stubs.verify()
  }

  @Test("TR-32 A redirect within the origin keeps the token, and its 401 causes a refresh")
  func redirectWithin() async throws {
    let old = StubRequest(.get, urlString: Self.base + "/old")
    let new = StubRequest(.get, urlString: Self.base + "/new")
    let stubs = StubTransport(
      StubAPIResponse(request: old, statusCode: 307, headers: ["Location": "/new"])
        .thenRespondWith(request: new, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: Self.base + "/auth/refresh"),
          result: .json(#"{"accessToken": "t1"}"#)
        )
        .thenRespondWith(request: old, statusCode: 307, headers: ["Location": "/new"])
        .thenRespondWith(request: new))
    let api = TestAPI(baseURL: Self.base, transport: stubs)
    let response = try await session(stubs).authorize(api.get(endpoint: "old")).value
    #expect(response.statusCode == 200)
    #expect(stubs.requests.last?.value(forHTTPHeaderField: "Authorization") == "Bearer t1")
    try stubs.verify()
  }

  @Test("TR-32 A redirect from https to http sends nothing")
  func downgrade() async throws {
    let stubs = StubTransport(
      .get, Self.base + "/a", statusCode: 307, headers: ["Location": "http://api.example.com/a"])
    let api = TestAPI(baseURL: Self.base, transport: stubs)
    let error = try await restError(of: session(stubs).authorize(api.get(endpoint: "a")))
    #expect(error.kind == .redirect)
    #expect(stubs.requests.count == 1)
  }

  @Test(
    "TR-32 A modifier that sends the request elsewhere gets no token",
    arguments: [
      "https://other.example.com/a", "http://api.example.com/a", "https://api.example.com:8443/a",
      "https://sub.api.example.com/a", "https://api.example.com.evil.example/a",
    ])
  func movedByModifier(target: String) async throws {
    let stubs = StubTransport(.get, target, statusCode: 401)
    let api = TestAPI(baseURL: Self.base, transport: stubs)
    let response = try await session(stubs).authorize(
      api.get(endpoint: "a") { request in
        var request = request
        request.url = URL(string: target)
        return request
      }
    ).value
    #expect(response.statusCode == 401)
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [nil])
  }

  @Test("TR-32 The same origin in another spelling gets the token")
  func spelling() async throws {
    let stubs = StubTransport(.get, "https://api.example.com/a")
    let api = TestAPI(baseURL: "https://API.example.com:443", transport: stubs)
    _ = try await session(stubs).authorize(
      api.get(endpoint: "a") { request in
        var request = request
        request.url = URL(string: "https://api.example.com/a")
        return request
      }
    ).value
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
        "Bearer canary-access"
      ])
  }

  @Test("TR-33 No text of a session, its parts or its errors shows a token")
  func texts() async throws {
    let scheduler = TestScheduler()
    let server = TokenServer(scheduler: scheduler)
    server.answerRefreshes(
      .json(#"{"error": "invalid_grant", "token": "canary-body"}"#, status: 400))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: Self.base, transport: server),
      store: MemoryTokenStore(
        Credential(accessToken: "canary-access", refreshToken: "canary-refresh")),
      scheduler: scheduler)
    let api = TestAPI(baseURL: Self.base, transport: server)
    let events = TestSubscriber<TokenSession.SignOutCause, Never>()
    session.signOuts.receive(subscriber: events)
    let call = TestSubscriber<RESTResponse, any Error>()
    let publisher = session.authorize(api.get(endpoint: "a"))
    publisher.receive(subscriber: call)
    scheduler.run()

    let error = try #require(call.failure as? TokenSessionError)
    let cause = try #require(error.cause)
    let event = try #require(events.values.first)
    let answer = TokenResponse(accessToken: "canary-access", refreshToken: "canary-refresh")
    let grant = GrantError(cause)
    for text in allTexts(of: error) + allTexts(of: cause) + allTexts(of: event)
      + allTexts(of: session) + allTexts(of: answer) + allTexts(of: grant)
      + allTexts(of: session.identity) + allTexts(of: publisher)
      + allTexts(of: JSONRefreshGrant(baseURL: Self.base))
    {
      #expect(!text.contains("canary"), "\(text)")
    }
    events.cancel()
  }

  @Test("TR-33 No error of a finally refused call shows a token")
  func refusedTexts() throws {
    let world = SessionWorld(
      credential: Credential(accessToken: "canary-access", refreshToken: "r0"))
    world.server.refuseNewTokens()
    let call = world.call("a")
    world.scheduler.run()
    let error = try #require(call.failure as? RESTError)
    for text in allTexts(of: error) { #expect(!text.contains("canary"), "\(text)") }
  }

  @Test("TR-34 A request shared by identity never shares another user's response")
  func identity() throws {
    let world = SessionWorld()
    let flights = SingleFlight<Key, RESTResponse, any Error>()
    let session = world.session
    let get = world.get("orders")
    let shared = Deferred {
      flights.publisher(for: Key(identity: session.identity, path: "orders")) { get }
    }
    world.server.delay("orders", by: .seconds(1))
    world.server.accept("other")

    let first = world.begin(shared)
    let second = world.begin(shared)
    try session.signIn(Credential(accessToken: "other"))
    let third = world.begin(shared)
    world.scheduler.run()

    #expect([first.outcome, second.outcome, third.outcome] == ["200", "200", "200"])
    #expect(world.server.tokens(at: "orders") == ["t0", "other"])
  }

  private struct Key: Hashable, Sendable {
    let identity: TokenSession.Identity
    let path: String
  }

  @Test("TR-34 A refresh keeps the identity; a sign-in, a sign-out and an end change it")
  func identityChanges() throws {
    let world = SessionWorld()
    let before = world.session.identity
    world.server.expireTokens()
    world.call("a")
    world.scheduler.run()
    #expect(world.session.identity == before)
    try world.session.signIn(Credential(accessToken: "x"))
    let other = world.session.identity
    #expect(other != before)
    try world.session.signOut()
    #expect(world.session.identity != other)
    #expect(SessionWorld().session.identity != before)
  }
}
