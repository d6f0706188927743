import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Failed refreshes of a session", .leakFree)
struct SessionFailureTests {
  private let world = SessionWorld()

  private typealias Events = TestSubscriber<TokenSession.SignOutCause, Never>

  private func signOuts(of session: TokenSession) -> Events {
    let subscriber = Events()
    session.signOuts.receive(subscriber: subscriber)
    return subscriber
  }

  @Test(
    "TR-17 A refused refresh ends the session once, with one error for all",
    arguments: [
      (400, #"{"error": "invalid_grant"}"#), (401, #"{"error": "invalid_grant"}"#),
      (403, #"{"error": "invalid_grant"}"#), (200, #"{"error": "invalid_grant"}"#),
    ])
  func refused(status: Int, body: String) throws {
    let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let world = SessionWorld(store: store)
    let events = signOuts(of: world.session)
    let states = TestSubscriber<TokenSession.State, Never>()
    world.session.state.receive(subscriber: states)
    world.server.expireTokens()
    world.server.answerRefreshes(.json(body, status: status))
    let calls = world.callMany(20)
    world.scheduler.run()

    let causes = calls.compactMap { ($0.failure as? TokenSessionError)?.cause as? RESTError }
    #expect(causes.count == 20)
    #expect(causes.allSatisfy { $0.kind == .status(status) })
    #expect(world.server.refreshes == 1)
    #expect(events.values.count == 1)
    #expect(states.values == [.active, .refreshing, .expired])
    #expect(store.read() == nil)

    // Ended is ended: nothing is sent, and nothing more is told.
    #expect(world.call("later").outcome == "signedOut")
    #expect(world.server.tokens(at: "later").isEmpty)
    #expect(events.values.count == 1)
  }

  @Test(
    "TR-18 A temporary failure keeps the session, is shared, and is not repeated at once",
    arguments: [
      .json("{}", status: 500), .json("{}", status: 429), .json("{}", status: 403),
      .json(#"{"error": "invalid_request"}"#, status: 400), .json("{}", status: 401),
      .json("", status: 401), .json("", status: 400), .json("<html>", status: 400),
      .json(#"{"error": "invalid_client"}"#, status: 400),
      .json(#"{"error": "invalid_client"}"#, status: 401),
      .json(#"{"error": "invalid_grant"}"#, status: 429),
      .json(#"{"error": "invalid_grant"}"#, status: 500),
      .failure(
        RESTError(
          TransportError(kind: .hostNotFound, mayHaveBeenProcessed: false),
          request: RequestSummary(method: .post, url: nil))), .failure(TestFailure()),
    ] as [TokenServer.ServerResponse])
  func transient(answer: TokenServer.ServerResponse) {
    let events = signOuts(of: world.session)
    world.server.expireTokens()
    world.server.answerRefreshes(answer)
    let calls = world.callMany(100)
    world.scheduler.advance()
    #expect(calls.allSatisfy { $0.outcome == "failed" })

    world.scheduler.advance(by: .milliseconds(1_999))
    let soon = world.call("soon")
    world.scheduler.advance()
    #expect(soon.outcome == "failed")
    #expect(world.server.refreshes == 1)

    world.scheduler.advance(by: .milliseconds(1))
    let later = world.call("later")
    world.scheduler.run()
    #expect(later.outcome == "200")
    #expect(world.server.refreshes == 2)
    #expect(events.values.isEmpty)
  }

  @Test("TR-18 The token endpoint may ask for more time, up to five minutes")
  func retryAfter() {
    for (asked, kept) in [("30", 30), ("86400", 300), ("-1", 2), ("soon", 2)] {
      let world = SessionWorld()
      world.server.expireTokens()
      world.server.answerRefreshes(.json("{}", status: 503, headers: ["Retry-After": asked]))
      world.call("a")
      world.scheduler.advance(by: .seconds(kept) - .milliseconds(1))
      world.call("b")
      world.scheduler.advance()
      #expect(world.server.refreshes == 1, "\(asked)")
      world.scheduler.advance(by: .milliseconds(1))
      let last = world.call("c")
      world.scheduler.run()
      #expect(last.outcome == "200")
    }
  }

  @Test("TR-18 A valid token is used while it cannot be refreshed")
  func proactiveFailure() {
    let world = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start + 20))
    world.server.answerRefreshes(.json("{}", status: 503), .json("{}", status: 503))
    let near = world.call("near")
    world.scheduler.advance(by: .seconds(1))
    let meanwhile = world.call("meanwhile")
    world.scheduler.advance(by: .seconds(19))
    let over = world.call("over")
    world.scheduler.run()

    #expect([near.outcome, meanwhile.outcome, over.outcome] == ["200", "200", "failed"])
    #expect(world.server.tokens(at: "meanwhile") == ["t0"])
    #expect(world.server.refreshes == 2)
  }

  @Test(
    "TR-06 TR-18 A token that nothing renews is used until it expires, and then the session ends",
    arguments: [nil, ""] as [String?])
  func notRenewable(refreshToken: String?) throws {
    let store = MemoryTokenStore(
      Credential(
        accessToken: "t0", refreshToken: refreshToken, expiresAt: WallClock.start + 20))
    let world = SessionWorld(store: store)
    let events = signOuts(of: world.session)
    let first = world.callMany(2)
    world.scheduler.advance(by: .milliseconds(19_999))
    let last = world.call("last")
    world.scheduler.advance()
    #expect((first + [last]).map(\.outcome) == ["200", "200", "200"])
    #expect(events.values.isEmpty)
    #expect(store.read() != nil)

    world.scheduler.advance(by: .milliseconds(1))
    let over = world.call("over")
    world.scheduler.run()
    let error = over.failure as? TokenSessionError
    #expect(error?.name == "refused")
    #expect(error?.cause as? RefreshError == .noRefreshToken)
    #expect(world.server.tokens(at: "over").isEmpty)
    #expect(world.server.refreshes == 0)
    #expect(events.values.count == 1)
    #expect(store.read() == nil)
  }

  @Test("TR-18 A token that nothing renews is of no use once the API has refused it")
  func notRenewableAndRefused() throws {
    for isCancelled in [false, true] {
      let store = TurnStore(
        MemoryTokenStore(Credential(accessToken: "t0", expiresAt: WallClock.start + 3_600)))
      let world = SessionWorld(store: store)
      let events = signOuts(of: world.session)
      let early = world.call("early")
      world.scheduler.advance()
      world.server.expireTokens()
      let refused = world.call("refused")
      world.scheduler.advance()
      #expect(store.isWaiting)
      // The refusal counts, although its call no longer waits.
      if isCancelled { refused.cancel() }
      store.give()
      world.scheduler.run()
      #expect([early.outcome, refused.outcome] == ["200", isCancelled ? "open" : "refused"])
      #expect(world.call("later").outcome == "signedOut")
      #expect(events.values.count == 1)
      #expect(world.server.refreshes == 0)
      guard !isCancelled else { continue }
      let failure = try #require(refused.failure as? TokenSessionError)
      let cause = try #require(failure.cause as? RESTError)
      #expect(cause.kind == .status(401))
      #expect(cause.body == Data(#"{"error": "invalid_token"}"#.utf8))
      #expect(cause.underlyingError as? RefreshError == .noRefreshToken)
      #expect("\(failure)".contains("there is no refresh token. Sign in again. GET https://"))
    }
  }

  @Test(
    "TR-19 A response without a token keeps the session, and nothing is stored",
    arguments: [
      "", "{}", "<html>", #"{"accessToken": ""}"#, #"{"accessToken": " \n"}"#,
      #"{"accessToken": null}"#, #"{"result": {}}"#, "[]",
    ])
  func rubbish(body: String) {
    let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.server.answerRefreshes(.json(body))
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "failed")
    #expect(store.read() == Credential(accessToken: "t0", refreshToken: "r0"))

    world.scheduler.advance(by: .seconds(2))
    let later = world.call("b")
    world.scheduler.run()
    #expect(later.outcome == "200")
  }

  @Test("TR-19 A grant without a response fails once, and a grant with two gives one token")
  func odd() {
    let empty = SessionWorld(grant: { _ in
      ClosureGrant { _ in Empty<TokenResponse, any Error>() }
    })
    empty.server.expireTokens()
    let call = empty.call("a")
    empty.scheduler.advance()
    #expect((call.failure as? TokenSessionError)?.cause as? RefreshError == .noResponse)

    let twice = SessionWorld(grant: { _ in
      ClosureGrant { _ in
        ["t7", "t8"].map { TokenResponse(accessToken: $0) }.publisher
          .setFailureType(to: (any Error).self)
      }
    })
    twice.server.expireTokens()
    twice.server.accept("t7")
    let other = twice.call("a")
    twice.scheduler.run()
    #expect(other.outcome == "200")
  }

  @Test("TR-20 A token that cannot be stored is reported, used from memory, and stored later")
  func storeFails() throws {
    let isBroken = Flag(true)
    let memory = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let store = ScriptedTokenStore(
      memory, onWrite: { if isBroken.value { throw TestFailure(name: "disk full") } })
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "notWritable")
    #expect((call.failure as? TokenSessionError)?.cause as? TestFailure != nil)

    for _ in 1...3 {
      let next = world.call("b")
      world.scheduler.advance(by: .seconds(3))
      #expect(next.outcome == "200")
    }
    #expect(world.server.refreshes == 1)
    #expect(memory.read()?.accessToken == "t0")

    isBroken.value = false
    world.call("c")
    world.scheduler.advance()
    #expect(
      memory.read()
        == Credential(accessToken: "t1", refreshToken: "r1", issuedAt: WallClock.start))
  }

  @Test("TR-20 The next refresh uses the token in memory, not the one in the store")
  func refreshAfterStoreFailed() throws {
    let isBroken = Flag(true)
    let memory = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let store = ScriptedTokenStore(
      memory, onWrite: { if isBroken.value { throw TestFailure(name: "disk full") } })
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.call("a")
    world.scheduler.advance()
    world.server.expireTokens()
    isBroken.value = false
    let call = world.call("b")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(
      memory.read()
        == Credential(accessToken: "t2", refreshToken: "r2", issuedAt: WallClock.start))
  }

  @Test("TR-21 A store that cannot be read does not sign out: a later call reads it")
  func storeIsLocked() throws {
    let isLocked = Flag(true)
    let store = ScriptedTokenStore(
      MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0")),
      onRead: { _, _ in if isLocked.value { throw TestFailure(name: "locked") } })
    let world = SessionWorld(store: store)
    let events = signOuts(of: world.session)
    let states = TestSubscriber<TokenSession.State, Never>()
    world.session.state.receive(subscriber: states)
    #expect(world.call("a").outcome == "notReadable")
    #expect(world.server.calls.isEmpty)
    #expect(states.values.isEmpty)

    isLocked.value = false
    let call = world.call("b")
    world.scheduler.run()
    #expect(call.outcome == "200")

    // Nor is one that cannot be read before a refresh.
    isLocked.value = true
    world.server.expireTokens()
    let refused = world.call("c")
    world.scheduler.advance()
    #expect(refused.outcome == "notReadable")
    isLocked.value = false
    let last = world.call("d")
    world.scheduler.run()
    #expect(last.outcome == "200")
    #expect(events.values.isEmpty)
    #expect(states.values == [.active, .refreshing, .active, .refreshing, .active])
  }

  @Test(
    "TR-22 A refresh whose response is lost is sent once more with the same refresh token",
    arguments: [.connectionClosedBeforeResponse, .connectionReset, .bodyCut]
      as [TransportError.Kind])
  func responseLost(kind: TransportError.Kind) {
    world.server.expireTokens()
    world.server.answerRefreshes(.lost(kind))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.refreshes == 2)
    let bodies = world.server.requests.filter { $0.url?.path == TokenServer.refreshPath }
    #expect(Set(bodies.map(\.httpBody)) == [Data(#"{"refreshToken":"r0"}"#.utf8)])
  }

  @Test("TR-22 After two lost responses the refresh fails temporarily, and the session remains")
  func responseLostTwice() {
    world.server.expireTokens()
    world.server.answerRefreshes(.lost(), .lost())
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "failed")
    #expect(world.server.refreshes == 2)
    let later = world.call("b")
    world.scheduler.run()
    #expect(later.outcome == "200")
  }

  @Test("TR-22 A request that the server cannot have seen is not repeated at once")
  func notSent() {
    world.server.expireTokens()
    world.server.answerRefreshes(
      .failure(
        RESTError(
          TransportError(kind: .connectionReset, mayHaveBeenProcessed: false),
          request: RequestSummary(method: .post, url: nil))))
    world.call("a")
    world.scheduler.advance()
    #expect(world.server.refreshes == 1)
  }
}

/// A switch that a test throws while code that looks at it runs.
final class Flag: Sendable {
  private let state: Lock<Bool>

  init(_ value: Bool) {
    state = Lock(value)
  }

  var value: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
