import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The store's content after sessions share it, with other events in between.
@Suite("Sessions that share a store", .leakFree)
struct SharedStoreTests {
  private let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))

  private func session(in world: SessionWorld, at store: any TokenStore) -> TokenSession {
    let clock = world.clock
    return TokenSession(
      grant: JSONRefreshGrant(baseURL: TokenServer.origin, transport: world.server), store: store,
      scheduler: world.scheduler, date: { clock.now })
  }

  /// A grant that needs no sign-in, and does something while it is asked for the token `bought`.
  private func grant(doing action: @escaping @Sendable () -> Void) -> ClosureGrant {
    ClosureGrant(requiresSignIn: false) { _ in
      action()
      return Just(TokenResponse(accessToken: "bought", refreshToken: "r"))
        .setFailureType(to: (any Error).self)
    }
  }

  @Test("TR-31 Two sessions at one memory store refresh once, with a single-use refresh token")
  func onceForBoth() throws {
    let world = SessionWorld(store: store)
    let other = session(in: world, at: store)
    world.server.takeRefreshTokensOnce()
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let first = world.call("a")
    world.scheduler.advance(by: .milliseconds(500))
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.run()
    #expect([first.outcome, second.outcome] == ["200", "200"])
    #expect(world.server.refreshes == 1)
    #expect(store.read()?.accessToken == "t1")
  }

  @Test("TR-31 Many sessions at one store take turns in the order of their requests")
  func inOrder() throws {
    let world = SessionWorld(store: store)
    let sessions = (0..<20).map { _ in session(in: world, at: store) }
    world.server.takeRefreshTokensOnce()
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let ended = ValueLog<String>()
    let calls = sessions.enumerated().map { number, session in
      session.authorize(world.api.get(endpoint: "a\(number)"))
        .sink(receiveCompletion: { _ in ended.add("\(number)") }, receiveValue: { _ in })
    }
    world.scheduler.run()
    #expect(world.server.refreshes == 1)
    #expect(Set(ended.all).count == 20)
    #expect(world.server.calls.suffix(20).map(\.token) == Array(repeating: "t1", count: 20))
    withExtendedLifetime(calls) {}
  }

  @Test("TR-11 TR-31 Another session's refresh counts as the one refresh of a call")
  func renewedElsewhere() {
    let world = SessionWorld(store: store)
    let other = session(in: world, at: store)
    let api = world.api
    world.begin(other.authorize(api.get(endpoint: "early")))
    world.scheduler.run()
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let first = world.call("a")
    world.scheduler.run()
    let second = world.begin(other.authorize(api.get(endpoint: "b")))
    world.scheduler.run()
    #expect([first.outcome, second.outcome] == ["status(401)", "status(401)"])
    #expect(world.server.tokens(at: "b") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-27 A sign-out while a first token is requested leaves the store empty")
  func signOutFromNothing() throws {
    let box = SessionBox()
    let store = MemoryTokenStore()
    let world = SessionWorld(
      store: store, grant: { _ in grant(doing: { try? box.held?.signOut() }) })
    box.set(world.session)
    let call = world.call("a")
    box.set(nil)
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(store.read() == nil)
  }

  @Test("TR-27 A sign-out at the moment a first token is stored leaves the store empty")
  func signOutWhileStored() throws {
    let box = SessionBox()
    let store = MemoryTokenStore()
    let world = SessionWorld(
      store: ScriptedTokenStore(
        store,
        onWrite: {
          let session = box.held
          box.set(nil)
          try? session?.signOut()
        }),
      grant: { _ in grant(doing: {}) })
    box.set(world.session)
    world.call("a")
    world.scheduler.run()
    #expect(box.held == nil)
    #expect(store.read() == nil)
  }

  @Test("TR-27 A sign-out while a token from memory is refreshed leaves the store empty")
  func signOutOfUnsaved() throws {
    let box = SessionBox()
    let isFull = Flag(true)
    let store = MemoryTokenStore()
    let world = SessionWorld(
      store: ScriptedTokenStore(
        store, onWrite: { if isFull.value { throw TestFailure(name: "full") } }),
      grant: { _ in
        ClosureGrant { _ in
          isFull.value = false
          try? box.held?.signOut()
          return Just(TokenResponse(accessToken: "late")).setFailureType(to: (any Error).self)
        }
      })
    box.set(world.session)
    #expect(throws: TestFailure(name: "full")) {
      try world.session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    }
    let call = world.call("a")
    world.scheduler.run()
    box.set(nil)
    #expect(call.outcome == "signedOut")
    #expect(store.read() == nil)
  }

  @Test("TR-28 A user who signs in while a first token is requested stays signed in")
  func signInFromNothing() throws {
    let store = MemoryTokenStore()
    let other = Credential(accessToken: "other", refreshToken: "x", account: "B")
    let world = SessionWorld(
      store: store,
      grant: { _ in grant(doing: { store.write(other) }) })
    world.server.accept("other")
    let call = world.call("a")
    world.scheduler.run()
    #expect(store.read() == other)
    #expect(call.outcome == "200")
    #expect(world.server.tokens(at: "a") == ["other"])
  }

  @Test("TR-28 In one session, too, a first token does not replace a sign-in")
  func signInDuringFirst() throws {
    let box = SessionBox()
    let store = MemoryTokenStore()
    let other = Credential(accessToken: "other", refreshToken: "x")
    let world = SessionWorld(
      store: store, grant: { _ in grant(doing: { try? box.held?.signIn(other) }) })
    box.set(world.session)
    let call = world.call("a")
    box.set(nil)
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(store.read() == other)
  }

  @Test("TR-31 A credential stored in between is not removed with the dead one")
  func forgetsTheDeadOnly() throws {
    let fresh = Credential(accessToken: "fresh", refreshToken: "x")
    let world = SessionWorld(
      store: ScriptedTokenStore(store, onWrite: { [store] in store.write(fresh) }))
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "refused")
    #expect(store.read() == fresh)
  }

  @Test("TR-17 A dead credential is removed, and only once")
  func forgetsTheDead() throws {
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    world.call("a")
    world.scheduler.run()
    #expect(store.read() == nil)
  }

  @Test("TR-20 A sign-in that could not be written is written later, over any other user")
  func lateSignIn() throws {
    let isFull = Flag(true)
    let world = SessionWorld(
      store: ScriptedTokenStore(
        store, onWrite: { if isFull.value { throw TestFailure(name: "full") } }))
    world.server.accept("mine", refreshToken: "m")
    let mine = Credential(accessToken: "mine", refreshToken: "m")
    #expect(throws: TestFailure(name: "full")) { try world.session.signIn(mine) }
    world.call("a")
    world.scheduler.run()
    #expect(store.read()?.accessToken == "t0")
    isFull.value = false
    world.scheduler.advance(by: .seconds(2))
    world.call("b")
    world.scheduler.run()
    #expect(store.read() == mine)
    #expect(world.server.tokens(at: "b") == ["mine"])
  }

  @Test("TR-28 A sign-in that could not be written is not undone by the content of the store")
  func unwrittenSignInIsRenewed() throws {
    let isFull = Flag(true)
    let world = SessionWorld(
      store: ScriptedTokenStore(
        store, onWrite: { if isFull.value { throw TestFailure(name: "full") } }))
    let mine = Credential(accessToken: "mine", refreshToken: "r0")
    #expect(throws: TestFailure(name: "full")) { try world.session.signIn(mine) }
    isFull.value = false
    // The API refuses it, and before it is tried to be written again there is a refresh.
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.tokens(at: "a") == ["mine", "t1"])
    #expect(store.read()?.accessToken == "t1")
  }

  @Test("TR-28 Another user's expired credential is not refreshed as the session's own")
  func foreignAndExpired() throws {
    let world = SessionWorld(
      credential: nil, store: store, options: TokenSessionOptions(leeway: .zero))
    let own = Credential(accessToken: "t0", refreshToken: "r0", account: "A")
    try world.session.signIn(own)
    store.write(
      Credential(
        accessToken: "theirs", refreshToken: "r0", expiresAt: WallClock.start - 60, account: "B"))
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "signedOut")
    #expect(world.server.refreshes == 0)
    #expect(store.read()?.accessToken == "theirs")
  }

  @Test("TR-31 The turn is returned before the first call continues, which may need one at once")
  func turnIsBack() {
    let shared = TurnStore(store)
    let world = SessionWorld(store: shared)
    world.server.expireTokens()
    let seen = ValueLog<String>()
    let call = world.get("a").sink(
      receiveCompletion: { _ in }, receiveValue: { _ in seen.add("\(shared.givenBack)") })
    world.scheduler.advance()
    shared.give()
    world.scheduler.run()
    #expect(seen.all == ["1"])
    withExtendedLifetime(call) {}
  }

  @Test("TR-31 The turn is returned first, even if the token comes synchronously")
  func turnIsBackAtOnce() {
    let old = Credential(accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start - 60)
    let store = MemoryTokenStore(old)
    let world = SessionWorld(
      store: store,
      grant: { _ in
        ClosureGrant { _ in
          Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
        }
      })
    let isFree = Flag(false)
    let api = world.api
    world.begin(
      world.session.authorize(
        Deferred {
          let turn = store.refreshTurn()
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in isFree.value = true })
          return withExtendedLifetime(turn) { api.get(endpoint: "a") }
        }))
    #expect(isFree.value)
  }

  @Test("TR-28 TR-31 A sign-in passes the turn on after it is stored, so no old token is refreshed")
  func signInHandsOn() throws {
    let world = SessionWorld(store: store)
    let other = session(in: world, at: store)
    world.server.takeRefreshTokensOnce()
    world.server.expireTokens()
    world.server.answerRefreshes(.never)
    world.call("a")
    world.scheduler.advance(by: .seconds(1))
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.advance(by: .seconds(1))
    world.server.accept("mine")
    try world.session.signIn(Credential(accessToken: "mine", refreshToken: "m"))
    world.scheduler.run()
    #expect(second.outcome == "200")
    #expect(world.server.tokens(at: "b").last == "mine")
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-14 TR-31 A refresh has its whole timeout, even after a long wait for the turn")
  func wholeTime() throws {
    let world = SessionWorld(store: store)
    let other = session(in: world, at: store)
    world.server.expireTokens()
    world.server.answerRefreshes(.never, .never)
    let first = world.call("a")
    world.scheduler.advance(by: .seconds(1))
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.advance(by: .seconds(29))
    #expect(first.outcome == "timedOut")
    #expect(world.server.refreshes == 2)
    world.scheduler.advance(by: .milliseconds(29_999))
    #expect(second.outcome == "open")
    world.scheduler.advance(by: .milliseconds(1))
    #expect(second.outcome == "timedOut")
  }

  @Test("TR-31 A sign-out returns a turn in use, and the next session has it at once")
  func signOutGivesBack() throws {
    let world = SessionWorld(store: store)
    let other = session(in: world, at: store)
    world.server.expireTokens()
    world.server.answerRefreshes(.never)
    world.call("a")
    world.scheduler.advance(by: .seconds(1))
    let second = world.begin(other.authorize(world.api.get(endpoint: "b")))
    world.scheduler.advance(by: .seconds(1))
    #expect(second.outcome == "open")
    try world.session.signOut()
    world.scheduler.advance()
    // There is nothing left to renew.
    #expect(second.outcome == "signedOut")
  }
}

@Suite("Turns to refresh", .leakFree)
struct RefreshTurnsTests {
  private typealias Turn = TestSubscriber<AnyCancellable, any Error>

  private func take(_ turns: RefreshTurns) -> Turn {
    let turn = Turn()
    turns.next.receive(subscriber: turn)
    return turn
  }

  @Test("Turns come one at a time, in the order of the requests")
  func order() {
    let turns = RefreshTurns()
    let waiting = (0..<5).map { _ in take(turns) }
    for number in 0..<5 {
      #expect(waiting.map { $0.values.count } == (0..<5).map { $0 <= number ? 1 : 0 })
      waiting[number].values.first?.cancel()
      // Twice gives back no other's turn.
      waiting[number].values.first?.cancel()
    }
    #expect(take(turns).values.count == 1)
  }

  @Test("A turn is neither delayed by a cancelled request nor lost with a cancelled owner")
  func leaving() {
    let turns = RefreshTurns()
    let first = take(turns)
    let second = take(turns)
    let third = take(turns)
    second.cancel()
    first.values.first?.cancel()
    #expect(second.values.isEmpty)
    #expect(third.values.count == 1)
    let late = Turn(demand: .none)
    turns.next.receive(subscriber: late)
    third.values.first?.cancel()
    late.cancel()
    #expect(take(turns).values.count == 1)
  }

  @Test("After a cancel in the middle of the line turns go to all others")
  func leavingTheMiddle() {
    let turns = RefreshTurns()
    let waiting = (0..<6).map { _ in take(turns) }
    waiting[3].cancel()
    for number in [0, 1, 2, 4, 5] {
      #expect(waiting[number].values.count == 1)
      waiting[number].values.first?.cancel()
    }
    #expect(waiting[3].values.isEmpty)
    #expect(take(turns).values.count == 1)
  }

  @Test("A hundred thousand turns that are returned at once need no stack")
  func stack() {
    let turns = RefreshTurns()
    let first = take(turns)
    let count = Lock(0)
    let waiting = (0..<100_000).map { _ in
      turns.next.sink(
        receiveCompletion: { _ in },
        receiveValue: { turn in
          count.withLock { $0 += 1 }
          turn.cancel()
        })
    }
    first.values.first?.cancel()
    #expect(count.withLock { $0 } == 100_000)
    withExtendedLifetime(waiting) {}
  }
}
