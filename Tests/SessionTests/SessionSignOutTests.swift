import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("Sign-outs, new users, and other sessions at the same store", .leakFree)
struct SessionSignOutTests {
  private let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
  private let world: SessionWorld

  init() {
    world = SessionWorld(store: store)
  }

  /// Lets tokens end, and begins calls that wait for a refresh of one second.
  private func waitingCalls(_ count: Int) -> [SessionWorld.Subscriber] {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let calls = world.callMany(count)
    world.scheduler.advance()
    return calls
  }

  @Test("TR-27 A sign-out while a refresh runs discards its result; the store stays empty")
  func signOutDuringRefresh() throws {
    let events = TestSubscriber<TokenSession.SignOutCause, Never>()
    world.session.signOuts.receive(subscriber: events)
    let calls = waitingCalls(3)
    try world.session.signOut()
    #expect(calls.map(\.outcome) == ["signedOut", "signedOut", "signedOut"])
    world.scheduler.run()

    #expect(store.read() == nil)
    #expect(world.server.calls.count == 4)
    #expect(events.values.count == 1)
    try world.session.signOut()
    #expect(events.values.count == 1)
    #expect(world.call("b").outcome == "signedOut")
  }

  @Test("TR-27 A sign-out at the moment the new token is stored wins")
  func signOutWhileStoring() throws {
    let box = SessionBox()
    let scripted = ScriptedTokenStore(
      store, onWrite: { if let session = box.held { box.set(nil); try session.signOut() } })
    let world = SessionWorld(store: scripted)
    box.set(world.session)
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(store.read() == nil)
  }

  @Test("TR-27 A retry before the session's stage sends nothing after a sign-out")
  func innerRetry() throws {
    world.server.answer("a", .json("{}", status: 503))
    let call = world.begin(
      world.session.authorize(world.api.get(endpoint: "a").retry(.test(world.scheduler))))
    world.scheduler.advance()
    #expect(call.outcome == "open")
    try world.session.signIn(Credential(accessToken: "other"))
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(world.server.tokens(at: "a") == ["t0"])
  }

  @Test("TR-28 A retry after the session's stage does not send as the next user")
  func outerRetry() throws {
    world.server.answer("a", .json("{}", status: 503))
    let call = world.begin(world.get("a").retry(.test(world.scheduler)))
    world.scheduler.advance()
    #expect(call.outcome == "open")
    try world.session.signIn(Credential(accessToken: "other"))
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(world.server.tokens(at: "a") == ["t0"])
    // It is the call's affair: one that begins now is the next user's.
    world.server.answer("a", .json("{}"))
    world.call("a")
    #expect(world.server.tokens(at: "a") == ["t0", "other"])
  }

  @Test("TR-28 A call of two sessions belongs to a user of each")
  func twoSessions() throws {
    let clock = world.clock
    let other = TokenSession(
      grant: JSONRefreshGrant(baseURL: TokenServer.origin, transport: world.server),
      store: MemoryTokenStore(Credential(accessToken: "other")), scheduler: world.scheduler,
      date: { clock.now })
    world.server.accept("other")
    let api = world.api
    let retried = world.get("a")
      .flatMap { _ in other.authorize(api.get(endpoint: "b")) }
      .flatMap { [world] _ in world.get("c") }
      .retry(.test(world.scheduler))
    let call = world.begin(retried)
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.calls.map(\.token) == ["t0", "other", "t0"])
  }

  @Test("TR-27 A sign-out by the first continued call keeps the next ones from being sent")
  func signOutByFirst() throws {
    // Its answers are there as soon as it is asked.
    let server = TokenServer(scheduler: .immediate)
    server.expireTokens()
    server.accept("t9")
    world.server.answerRefreshes(.never)
    let session = world.session
    let api = TestAPI(baseURL: TokenServer.origin, transport: server)
    let first = session.authorize(api.get(endpoint: "a")).sink(
      receiveCompletion: { _ in try? session.signOut() }, receiveValue: { _ in })
    let second = world.begin(session.authorize(api.get(endpoint: "b")))
    #expect(second.outcome == "open")
    try session.replaceCredential(with: Credential(accessToken: "t9"))
    #expect(second.outcome == "signedOut")
    #expect(server.tokens(at: "a") == ["t0", "t9"])
    #expect(server.tokens(at: "b").isEmpty)
    withExtendedLifetime(first) {}
  }

  @Test("TR-28 After a user change the first user's refresh changes nothing")
  func otherUser() throws {
    let calls = waitingCalls(2)
    try world.session.signOut()
    let other = Credential(accessToken: "other", refreshToken: "other-refresh")
    try world.session.signIn(other)
    world.server.accept("other")
    let mine = world.call("mine")
    world.scheduler.run()

    #expect(calls.map(\.outcome) == ["signedOut", "signedOut"])
    #expect(mine.outcome == "200")
    #expect(world.server.tokens(at: "mine") == ["other"])
    #expect(world.server.tokens(at: "a1") == ["t0"])
    #expect(store.read() == other)
  }

  @Test("TR-28 A sign-in as another user ends the first user's calls without a sign-out in between")
  func otherUserAtOnce() throws {
    let calls = waitingCalls(2)
    try world.session.signIn(Credential(accessToken: "other"))
    world.server.accept("other")
    world.scheduler.run()
    #expect(calls.map(\.outcome) == ["signedOut", "signedOut"])
    #expect(!world.server.calls.contains { $0.token == "other" })
  }

  @Test("TR-29 A credential that the app replaces while a refresh runs counts")
  func replaced() throws {
    let calls = waitingCalls(3)
    world.server.accept("newer")
    let newer = Credential(accessToken: "newer", refreshToken: "r9", account: "ada")
    try world.session.replaceCredential(with: newer)
    world.scheduler.run()

    #expect(calls.map(\.outcome) == ["200", "200", "200"])
    #expect(world.server.tokens(at: "a1") == ["t0", "newer"])
    #expect(store.read() == newer)
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-29 A signed-out session has no credential to replace")
  func replacedAfterSignOut() throws {
    try world.session.signOut()
    #expect(throws: TokenSessionError.self) {
      try world.session.replaceCredential(with: Credential(accessToken: "newer"))
    }
    #expect(store.read() == nil)
  }

  @Test("TR-29 A session whose store is empty has no credential to replace", arguments: [0, 1])
  func replacedWithoutUser(calls: Int) {
    let empty = MemoryTokenStore()
    let world = SessionWorld(store: empty)
    for _ in 0..<calls { #expect(world.call("a").outcome == "signedOut") }
    #expect(throws: TokenSessionError.self) {
      try world.session.replaceCredential(with: Credential(accessToken: "newer"))
    }
    #expect(empty.read() == nil)
    #expect(world.call("b").outcome == "signedOut")
  }

  @Test("TR-29 A credential that replaces the first one of the store keeps its user")
  func replacedUnread() throws {
    let shared = MemoryTokenStore(Credential(accessToken: "t0", account: "ada"))
    try SessionWorld(store: shared).session
      .replaceCredential(with: Credential(accessToken: "newer"))
    #expect(shared.read() == Credential(accessToken: "newer", account: "ada"))
  }

  @Test("TR-30 A 401 after a sign-out causes no refresh, and sends no other user's token")
  func lateRefusal() throws {
    world.server.expireTokens()
    world.server.delay("a", by: .seconds(1))
    world.server.delay("b", by: .seconds(2))
    let first = world.call("a")
    let second = world.call("b")
    try world.session.signOut()
    world.scheduler.advance(by: .seconds(1))
    try world.session.signIn(Credential(accessToken: "other", refreshToken: "x"))
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["signedOut", "signedOut"])
    #expect(world.server.calls.count == 2)
  }

  @Test("TR-31 Two sessions at one store: the second finds the token that the first refreshed")
  func sharedStore() throws {
    let grant = JSONRefreshGrant(baseURL: TokenServer.origin, transport: world.server)
    let other = TokenSession(grant: grant, store: store, scheduler: world.scheduler)
    world.call("warm")
    world.begin(other.authorize(world.api.get(endpoint: "warm")))
    world.scheduler.run()
    world.server.expireTokens()
    let first = world.call("a")
    world.scheduler.run()
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["200", "200"])
    #expect(world.server.tokens(at: "b") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-31 Two sessions that refresh at once: the refused one takes the other's token")
  func sharedStoreAtOnce() throws {
    let grant = JSONRefreshGrant(baseURL: TokenServer.origin, transport: world.server)
    let other = TokenSession(grant: grant, store: store, scheduler: world.scheduler)
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    // Where the used refresh token is refused, as by a server without a second chance.
    world.server.answerRefreshes(.renewed, .json(#"{"error": "invalid_grant"}"#, status: 400))
    let first = world.call("a")
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["200", "200"])
    #expect(store.read()?.accessToken == "t1")
  }

  @Test("TR-31 A store that another process emptied signs out, once, without a request")
  func emptiedElsewhere() {
    let events = TestSubscriber<TokenSession.SignOutCause, Never>()
    world.session.signOuts.receive(subscriber: events)
    world.call("warm")
    world.scheduler.run()
    store.write(nil)
    world.server.expireTokens()
    let calls = world.callMany(3)
    world.scheduler.run()

    #expect(calls.allSatisfy { $0.outcome == "signedOut" })
    #expect(world.server.refreshes == 0)
    #expect(events.values.count == 1)

    // Where another process signs in again, this one is, too.
    store.write(Credential(accessToken: "again"))
    world.server.accept("again")
    let call = world.call("b")
    world.scheduler.run()
    #expect(call.outcome == "200")
  }

  @Test("TR-31 Another account in the store is another user, and the first user's calls end")
  func otherAccountElsewhere() throws {
    try world.session.signIn(
      Credential(accessToken: "t0", refreshToken: "r0", account: "ada"))
    let before = world.session.identity
    store.write(Credential(accessToken: "other", refreshToken: "x", account: "bob"))
    world.server.expireTokens()
    world.server.accept("other")
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(!world.server.calls.contains { $0.token == "other" })
    #expect(world.session.identity != before)
    let next = world.call("b")
    world.scheduler.run()
    #expect(next.outcome == "200")
  }

  @Test("TR-31 A refresh waits for the turn at the store, reads the store, and returns the turn")
  func turn() {
    let shared = TurnStore(store)
    let world = SessionWorld(store: shared)
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.advance()
    #expect(world.server.refreshes == 0)
    store.write(Credential(accessToken: "theirs", refreshToken: "r7"))
    world.server.accept("theirs")
    shared.give()
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.refreshes == 0)
    #expect(shared.givenBack == 1)
  }

  @Test("A sign-out or a new user during the wait for the turn gives it up")
  func turnGivenUp() throws {
    let shared = TurnStore(store)
    let world = SessionWorld(store: shared)
    world.server.expireTokens()
    world.call("a")
    world.scheduler.advance()
    try world.session.signOut()
    #expect(shared.isWaiting == false)
    shared.give()
    #expect(world.server.refreshes == 0)
  }

  @Test("Signing in and out throw the store's error, but take effect in memory")
  func storeThrows() throws {
    let scripted = ScriptedTokenStore(
      MemoryTokenStore(), onWrite: { throw TestFailure(name: "full") })
    let world = SessionWorld(store: scripted)
    #expect(throws: TestFailure(name: "full")) {
      try world.session.signIn(Credential(accessToken: "t0", refreshToken: "r0"))
    }
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(throws: TestFailure(name: "full")) { try world.session.signOut() }
    #expect(world.call("b").outcome == "signedOut")
  }

  @Test("The state replays its latest value, and sends each change once")
  func states() throws {
    let early = TestSubscriber<TokenSession.State, Never>()
    world.session.state.receive(subscriber: early)
    // The first reader causes the read of the store.
    world.scheduler.run()
    #expect(early.values == [.active])
    world.server.expireTokens()
    world.call("a")
    world.scheduler.run()
    try world.session.signOut()
    try world.session.signIn(Credential(accessToken: "t1"))
    let late = TestSubscriber<TokenSession.State, Never>()
    world.session.state.receive(subscriber: late)
    #expect(early.values == [.active, .refreshing, .active, .signedOut, .active])
    #expect(late.values == [.active])
    #expect("\(world.session)" == "TokenSession(active)")
    early.cancel()
    late.cancel()
  }

  @Test("A subscriber that signs out during a change finds the session in the state it received")
  func reentrantWatcher() throws {
    let session = world.session
    let seen = ValueLog<String>()
    let watcher = session.state.sink { state in
      seen.add("\(state)")
      if state == .refreshing { try? session.signOut() }
    }
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(seen.all == ["active", "refreshing", "signedOut"])
    #expect(store.read() == nil)
    watcher.cancel()
  }

  @Test("A grant without sign-in gets its token once for all calls, and again after a sign-out")
  func clientCredentials() throws {
    let world = SessionWorld(credential: nil) { server in
      ClosureGrant(requiresSignIn: false) { _ in
        TestAPI(baseURL: TokenServer.origin, transport: server)
          .post(endpoint: "auth/refresh", body: .data(Data(#"{"refreshToken":"r0"}"#.utf8)))
          .decode(type: ServerResponse.self).map { TokenResponse(accessToken: $0.accessToken) }
      }
    }
    let calls = world.callMany(5)
    world.scheduler.run()
    #expect(calls.allSatisfy { $0.outcome == "200" })
    #expect(world.server.refreshes == 1)
    try world.session.signOut()
    let next = world.call("b")
    world.scheduler.run()
    #expect(next.outcome == "200")
    #expect(world.server.refreshes == 2)
  }

  private struct ServerResponse: Decodable {
    let accessToken: String
  }
}

/// A store whose turn comes when a test gives it.
final class TurnStore: TokenStore {
  private let memory: MemoryTokenStore
  private let turns = TestPublisher<AnyCancellable, any Error>()
  private let back = Lock(0)

  init(_ memory: MemoryTokenStore) {
    self.memory = memory
  }

  var givenBack: Int { back.withLock { $0 } }

  var isWaiting: Bool { turns.subscriberCount > 0 }

  func give() {
    turns.send(AnyCancellable { [self] in back.withLock { $0 += 1 } })
  }

  func read() -> Credential? { memory.read() }

  func write(_ credential: Credential?) { memory.write(credential) }

  func replace(_ old: Credential?, with new: Credential?) -> Bool {
    memory.replace(old, with: new)
  }

  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
    turns.eraseToAnyPublisher()
  }
}
