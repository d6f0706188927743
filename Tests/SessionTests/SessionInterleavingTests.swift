import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The scenarios of sessions in orders that are drawn: all that is due at one moment, answers,
/// refusals and what the app does, happens in any order.
@Suite("Sessions in a thousand orders", .leakFree)
struct SessionInterleavingTests {
  private static let seeds: Range<UInt64> = 0..<1_000

  private func explore(_ body: (SessionWorld) throws -> Void) throws {
    try TestScheduler.explore(seeds: Self.seeds) { try body(SessionWorld($0)) }
  }

  /// Runs things at the moment that is now, in any order with what is due then.
  private func soon(_ world: SessionWorld, _ actions: (@Sendable () -> Void)...) {
    for action in actions { world.scheduler.schedule(action) }
  }

  @Test("TR-35 TR-01 TR-02 TR-03 New, refused and late calls share one refresh")
  func singleFlight() throws {
    try explore { world in
      world.server.expireTokens()
      let calls = Calls()
      for number in 1...3 { soon(world, { calls.add(world.call("a\(number)")) }) }
      world.scheduler.run()
      try demand(calls.outcomes == Array(repeating: "200", count: 3), "\(calls.outcomes)")
      try demand(world.server.refreshes == 1, "\(world.server.calls)")
      for number in 1...3 {
        let tokens = world.server.tokens(at: "a\(number)")
        try demand(tokens == ["t0", "t1"] || tokens == ["t1"], "\(tokens)")
      }
    }
  }

  @Test("TR-35 TR-04 With tokens that expire repeatedly, a call is sent twice at most after a 401")
  func secondRefresh() throws {
    try explore { world in
      world.server.expireTokens()
      let calls = Calls()
      for number in 1...3 { soon(world, { calls.add(world.call("a\(number)")) }) }
      soon(world, { world.server.expireTokens() })
      world.scheduler.run()
      try demand(
        calls.outcomes.allSatisfy { $0 == "200" || $0 == "status(401)" }, "\(calls.outcomes)")
      try demand(world.server.refreshes <= 2, "\(world.server.calls)")
      try demand(world.server.calls.count <= 3 * 3 + 2, "\(world.server.calls)")
    }
  }

  @Test("TR-35 TR-05 A token near its end and a refused one share their refresh")
  func proactive() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let world = SessionWorld(
        scheduler,
        credential: Credential(
          accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start + 31))
      let calls = Calls()
      calls.add(world.call("a1"))
      world.server.expireTokens()
      calls.add(world.call("a2"))
      _ = world.scheduler.schedule(after: .seconds(1)) {
        for number in 3...4 { calls.add(world.call("a\(number)")) }
      }
      world.scheduler.run()
      try demand(calls.outcomes == Array(repeating: "200", count: 4), "\(calls.outcomes)")
      try demand(world.server.refreshes == 1, "\(world.server.calls)")
    }
  }

  @Test("TR-35 TR-17 A refused refresh gives one error, one event, and no further request")
  func refused() throws {
    try explore { world in
      let events = TestSubscriber<TokenSession.SignOutCause, Never>()
      world.session.signOuts.receive(subscriber: events)
      world.server.expireTokens()
      world.server.answerRefreshes(.deadGrant)
      let calls = Calls()
      for number in 1...3 { soon(world, { calls.add(world.call("a\(number)")) }) }
      world.scheduler.run()
      try demand(
        calls.outcomes.allSatisfy { $0 == "refused" || $0 == "signedOut" }, "\(calls.outcomes)")
      try demand(world.server.refreshes == 1, "\(world.server.calls)")
      try demand(events.values.count == 1, "\(events.values.count) events")
      try demand(world.server.calls.allSatisfy { $0.token != "t1" }, "\(world.server.calls)")
    }
  }

  @Test("TR-35 TR-23 TR-24 TR-25 Calls cancelled at any moment do not affect the others")
  func cancellation() throws {
    try explore { world in
      world.server.expireTokens()
      let calls = world.callMany(4)
      soon(world, { calls[0].cancel() }, { calls[2].cancel() })
      world.scheduler.run()
      for index in [1, 3] {
        try demand(calls[index].outcome == "200", "\(calls.map(\.outcome))")
      }
      try demand(world.server.refreshes == 1, "\(world.server.calls)")
      try demand(world.scheduler.pendingCount == 0, "timers are left")
    }
  }

  @Test("TR-35 TR-27 TR-30 A sign-out at any moment leaves no user and an empty store")
  func signOut() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
      let world = SessionWorld(scheduler, store: store)
      world.server.expireTokens()
      let calls = Calls()
      for number in 1...4 { soon(world, { calls.add(world.call("a\(number)")) }) }
      soon(world, { try? world.session.signOut() })
      world.scheduler.run()
      try demand(store.read() == nil, "the store holds something")
      try demand(
        calls.outcomes.allSatisfy { $0 == "200" || $0 == "signedOut" }, "\(calls.outcomes)")
      try demand(world.call("later").outcome == "signedOut", "somebody is signed in")
    }
  }

  @Test("TR-35 TR-28 After a user change at any moment no call of the first has the second's token")
  func otherUser() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
      let world = SessionWorld(scheduler, store: store)
      let other = Credential(accessToken: "other", refreshToken: "x")
      world.server.expireTokens()
      world.server.accept("other")
      let calls = world.callMany(3)
      soon(
        world, { try? world.session.signOut() },
        {
          try? world.session.signIn(other)
          world.call("mine")
        })
      world.scheduler.run()
      let strays = world.server.calls.filter { $0.token == "other" && $0.path != "/mine" }
      try demand(strays.isEmpty, "\(strays)")
      try demand(
        calls.allSatisfy { ["200", "signedOut"].contains($0.outcome) },
        "\(calls.map(\.outcome))")
      // Whichever of the two came last is what holds, in memory and in the store.
      let isSignedIn = world.begin(world.get("check"))
      world.scheduler.run()
      try demand(
        (store.read() == other) == (isSignedIn.outcome == "200"), "store and memory differ")
    }
  }

  @Test("TR-35 TR-29 A credential replaced at any moment counts, with one refresh at most")
  func replaced() throws {
    try explore { world in
      world.server.expireTokens()
      world.server.accept("newer")
      let calls = Calls()
      for number in 1...3 { soon(world, { calls.add(world.call("a\(number)")) }) }
      soon(
        world,
        {
          try? world.session.replaceCredential(
            with: Credential(accessToken: "newer", refreshToken: "r0"))
        })
      world.scheduler.run()
      try demand(calls.outcomes == Array(repeating: "200", count: 3), "\(calls.outcomes)")
      try demand(world.server.refreshes <= 1, "\(world.server.calls)")
      world.call("last")
      world.scheduler.run()
      try demand(world.server.tokens(at: "last") == ["newer"], "\(world.server.calls)")
    }
  }

  @Test("TR-35 TR-18 TR-20 TR-21 A store and a server that fail at any moment end no session")
  func failures() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let isBroken = Flag(false)
      let memory = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
      let check: @Sendable () throws -> Void = {
        if isBroken.value { throw TestFailure(name: "broken") }
      }
      let world = SessionWorld(
        scheduler,
        store: ScriptedTokenStore(memory, onRead: { _, _ in try check() }, onWrite: check))
      let events = TestSubscriber<TokenSession.SignOutCause, Never>()
      world.session.signOuts.receive(subscriber: events)
      world.server.expireTokens()
      if scheduler.seed.map({ $0 % 2 == 0 }) == true {
        world.server.answerRefreshes(.json("{}", status: 503))
      }
      for number in 1...2 { soon(world, { world.call("a\(number)") }) }
      soon(world, { isBroken.value = true }, { isBroken.value = false })
      world.scheduler.run()
      isBroken.value = false
      // All failures of the server have happened by then.
      world.call("probe")
      scheduler.advance(by: .seconds(3))
      let last = world.call("last")
      world.scheduler.run()
      try demand(last.outcome == "200", last.outcome)
      try demand(events.values.isEmpty, "somebody was signed out")
    }
  }

  @Test("TR-35 TR-31 Two sessions at one store, at any moment, stay signed in")
  func sharedStore() throws {
    try TestScheduler.explore(seeds: Self.seeds) { scheduler in
      let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
      let world = SessionWorld(scheduler, store: store)
      let other = TokenSession(
        grant: JSONRefreshGrant(baseURL: TokenServer.origin, transport: world.server),
        store: store, scheduler: scheduler)
      world.server.expireTokens()
      let calls = Calls()
      for number in 1...2 {
        soon(
          world, { calls.add(world.call("a\(number)")) },
          {
            calls.add(world.begin(other.authorize(world.api.get(endpoint: "b\(number)"))))
          })
      }
      world.scheduler.run()
      try demand(calls.outcomes == Array(repeating: "200", count: 4), "\(calls.outcomes)")
      try demand(world.server.refreshes <= 2, "\(world.server.calls)")
    }
  }
}

/// Calls that begin when their turn comes.
final class Calls: Sendable {
  private let begun = Lock<[SessionWorld.Subscriber]>([])

  func add(_ call: SessionWorld.Subscriber) {
    begun.withLock { $0.append(call) }
  }

  var outcomes: [String] { begun.withLock { $0 }.map(\.outcome) }
}
