import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Rare combinations of a session's events", .leakFree)
struct SessionEdgeTests {
  private typealias States = TestSubscriber<TokenSession.State, Never>

  private let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
  private let world: SessionWorld

  init() {
    world = SessionWorld(store: store)
  }

  private func states(of world: SessionWorld) -> States {
    let states = States()
    world.session.state.receive(subscriber: states)
    return states
  }

  @Test("The state changes before the store is written")
  func toldFirst() throws {
    let box = SessionBox()
    let seen = ValueLog<String>()
    let store = ScriptedTokenStore(
      MemoryTokenStore(), onWrite: { seen.add(box.held.map { "\($0)" } ?? "none") })
    let world = SessionWorld(store: store)
    box.set(world.session)
    try world.session.signIn(Credential(accessToken: "t0", refreshToken: "r0"))
    world.server.expireTokens()
    world.server.answerRefreshes(.never)
    world.call("a")
    world.scheduler.advance()
    #expect("\(world.session)" == "TokenSession(refreshing)")
    try world.session.replaceCredential(with: Credential(accessToken: "t9"))
    try world.session.signOut()
    box.set(nil)
    world.scheduler.run()
    #expect(
      seen.all == ["TokenSession(active)", "TokenSession(active)", "TokenSession(signedOut)"])
  }

  @Test("TR-29 A newer credential without a user belongs to the same user")
  func account() throws {
    try world.session.signIn(Credential(accessToken: "t0", account: "ada"))
    try world.session.replaceCredential(with: Credential(accessToken: "t9"))
    #expect(store.read() == Credential(accessToken: "t9", account: "ada"))
  }

  @Test("TR-31 A newer credential passes the turn on before calls continue with it")
  func replacedHandsOn() throws {
    let shared = TurnStore(store)
    let world = SessionWorld(store: shared)
    world.server.expireTokens()
    world.server.accept("newer")
    world.server.answerRefreshes(.never)
    let seen = ValueLog<String>()
    let call = world.begin(
      world.session.authorize(
        world.api.get(endpoint: "a") { request in
          seen.add("\(shared.givenBack)")
          return request
        }))
    world.scheduler.advance()
    shared.give()
    world.scheduler.advance()
    try world.session.replaceCredential(with: Credential(accessToken: "newer"))
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(seen.all == ["0", "1"])
  }

  @Test("TR-18 TR-28 A new user does not wait for the previous user's pause")
  func pauseOfAnother() throws {
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503))
    world.call("a")
    world.scheduler.advance()
    try world.session.signIn(Credential(accessToken: "other", refreshToken: "r0"))
    let call = world.call("b")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.refreshes == 2)
  }

  @Test("TR-12 TR-28 The previous user's refused tokens do not count for a new user")
  func refusalsOfAnother() throws {
    let world = SessionWorld(options: TokenSessionOptions(refusalLimit: 2))
    world.server.expireTokens()
    world.server.refuseNewTokens()
    var outcomes: [String] = []
    for number in 1...3 {
      if number == 2 {
        try world.session.signIn(Credential(accessToken: "other", refreshToken: "r1"))
      }
      let call = world.call("a")
      world.scheduler.advance()
      outcomes.append(call.outcome)
    }
    #expect(outcomes == ["status(401)", "status(401)", "status(401)"])
    #expect(world.server.refreshes == 3)
  }

  @Test(
    "TR-12 A response below 500 shows that a new token was accepted",
    arguments: [(499, "status(401)"), (500, "newTokensRefused")])
  func takenToken(status: Int, outcome: String) {
    let world = SessionWorld(options: TokenSessionOptions(refusalLimit: 2))
    world.server.expireTokens()
    world.server.refuseNewTokens()
    world.server.answer("b", .json("{}", status: status))
    for path in ["a", "b", "a"] {
      world.call(path)
      world.scheduler.advance()
    }
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == outcome)
  }

  @Test("TR-12 A value that an earlier stage made of the response shows it, too")
  func takenByStage() {
    for _ in 1...8 {
      world.server.expireTokens()
      let subscriber = TestSubscriber<Int, any Error>()
      world.session.authorize(world.api.get(endpoint: "a").validateStatus().map(\.statusCode))
        .receive(subscriber: subscriber)
      world.scheduler.run()
      #expect(subscriber.values == [200])
    }
    #expect(world.server.refreshes == 8)
  }

  @Test("TR-16 A code in a body counts even if an earlier stage makes the status a failure")
  func codeInFailure() {
    let world = SessionWorld(options: TokenSessionOptions(refusals: .errorCode(["expired"])))
    world.server.answer("a", .json(#"{"error": "expired"}"#, status: 400))
    let call = world.begin(world.session.authorize(world.api.get(endpoint: "a").validateStatus()))
    world.scheduler.run()
    #expect(call.outcome == "status(400)")
    #expect(world.server.refreshes == 1)
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
  }

  @Test("TR-15 A failure without a response is not a refusal")
  func noResponse() {
    world.server.answer("a", .failure(TestFailure()))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.failure as? TestFailure == TestFailure())
    #expect(world.server.refreshes == 0)
  }

  @Test("TR-32 The API's base URL itself gets the token")
  func baseURL() {
    let call = world.begin(
      world.session.authorize(
        world.api.get(endpoint: "a") { request in
          var request = request
          request.url = URL(string: TokenServer.origin)
          return request
        }))
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.calls.map(\.token) == ["t0"])
  }

  @Test(
    "TR-17 A dead credential is removed from the store, whichever session stored it last",
    arguments: [true, false])
  func forgetsTheLatest(isElsewhere: Bool) {
    world.call("warm")
    world.scheduler.run()
    world.server.expireTokens()
    if isElsewhere {
      store.write(Credential(accessToken: "theirs", refreshToken: "x"))
      world.server.accept("theirs")
    }
    let first = world.call("a")
    world.scheduler.run()
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    let last = world.call("b")
    world.scheduler.run()
    #expect([first.outcome, last.outcome] == ["200", "refused"])
    #expect(store.read() == nil)
  }

  @Test("TR-17 A user who signs in after the end has refreshes again")
  func signInAfterEnd() throws {
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    let ended = world.call("a")
    world.scheduler.run()
    try world.session.signIn(Credential(accessToken: "other", refreshToken: "r0"))
    let call = world.call("b")
    world.scheduler.run()
    #expect([ended.outcome, call.outcome] == ["refused", "200"])
  }

  @Test("TR-20 Storing a token is tried at most once in two seconds")
  func savesInTime() {
    let writes = Counter()
    let full = ScriptedTokenStore(
      store,
      onWrite: {
        writes.add()
        throw TestFailure(name: "full")
      })
    let world = SessionWorld(store: full)
    world.server.expireTokens()
    let states = states(of: world)
    world.call("a")
    world.scheduler.advance()
    #expect(writes.value == 1)
    // The refresh is over, too.
    #expect(states.values == [.active, .refreshing, .active])
    states.cancel()
    for count in 2...3 {
      world.scheduler.advance(by: .milliseconds(1_999))
      world.call("b")
      world.scheduler.advance()
      #expect(writes.value == count - 1)
      world.scheduler.advance(by: .milliseconds(1))
      let call = world.call("c")
      world.scheduler.advance()
      #expect(call.outcome == "200")
      #expect(writes.value == count)
    }
  }

  @Test("TR-31 Another process's change of the sign-in is reported", arguments: [true, false])
  func toldOfElsewhere(isEmptied: Bool) throws {
    try world.session.signIn(Credential(accessToken: "t0", refreshToken: "r0", account: "ada"))
    let states = states(of: world)
    let causes = TestSubscriber<TokenSession.SignOutCause, Never>()
    world.session.signOuts.receive(subscriber: causes)
    store.write(isEmptied ? nil : Credential(accessToken: "other", account: "bob"))
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(states.values == [.active, .refreshing, isEmptied ? .signedOut : .active])
    #expect(causes.values.count == 1)
    states.cancel()
    causes.cancel()
  }

  @Test(
    "TR-31 An expired credential of another process is refreshed, not sent", arguments: [0.0, -60])
  func endedElsewhere(seconds: Double) {
    world.call("warm")
    world.scheduler.advance()
    store.write(
      Credential(
        accessToken: "theirs", refreshToken: "r0", expiresAt: WallClock.start + seconds))
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "200")
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
  }

  @Test("TR-18 A call that waited for a refresh continues with a token that may still be valid")
  func goesOn() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    world.server.answerRefreshes(.json("{}", status: 503))
    let refused = world.call("a")
    world.scheduler.advance()
    let waiting = world.call("b")
    world.server.accept("t0")
    world.scheduler.run()
    #expect([refused.outcome, waiting.outcome] == ["failed", "200"])
    #expect(world.server.tokens(at: "b") == ["t0"])
  }

  @Test("TR-18 An expired token is not sent if it cannot be refreshed")
  func overBefore() {
    let world = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start - 60))
    world.server.answerRefreshes(.json("{}", status: 503))
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "failed")
    #expect(world.server.tokens(at: "a").isEmpty)
  }

  @Test("TR-06 A token that expired on its way is used until it is refused", arguments: [9, 10])
  func overOnItsWay(seconds: Int) {
    world.server.expireTokens()
    world.server.accept("n")
    world.server.delay("auth/refresh", by: .seconds(10))
    world.server.answerRefreshes(.json(#"{"accessToken": "n", "expiresIn": \#(seconds)}"#))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-07 A new scope replaces the old one")
  func scope() {
    let store = MemoryTokenStore(
      Credential(accessToken: "old", refreshToken: "r", scope: "read"))
    let world = SessionWorld(
      store: store,
      grant: { _ in
        ClosureGrant { _ in
          Just(TokenResponse(accessToken: "t0", scope: "write"))
            .setFailureType(to: (any Error).self)
        }
      })
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(
      store.read()
        == Credential(
          accessToken: "t0", refreshToken: "r", issuedAt: WallClock.start, scope: "write"))
  }

  @Test("TR-14 A turn at the store that does not come times out")
  func turnThatNeverComes() {
    let world = SessionWorld(store: TurnStore(store))
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.advance(by: .seconds(30))
    #expect(call.outcome == "timedOut")
    #expect(world.server.refreshes == 0)
  }

  @Test("An empty store is reported as signed out")
  func nobody() {
    let world = SessionWorld(credential: nil)
    let states = states(of: world)
    #expect(states.values == [.signedOut])
    states.cancel()
  }

  @Test("TR-05 Without a waiting call no token is requested")
  func nobodyWaits() throws {
    let asked = Counter()
    let world = SessionWorld(
      credential: nil,
      grant: { _ in
        ClosureGrant(requiresSignIn: false) { _ in
          asked.add()
          return Just(TokenResponse(accessToken: "t0")).setFailureType(to: (any Error).self)
        }
      })
    let states = states(of: world)
    try world.session.signIn(Credential(accessToken: "old", expiresAt: .distantPast))
    try world.session.signOut()
    world.scheduler.run()
    #expect(asked.value == 0)
    states.cancel()
  }

  @Test("A grant needs a sign-in by default")
  func needsSignIn() {
    let closure = ClosureGrant { _ in Empty<TokenResponse, any Error>() }
    #expect(closure.requiresSignIn)
    #expect(JSONRefreshGrant(baseURL: TokenServer.origin).requiresSignIn)
  }
}
