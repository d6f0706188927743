import Dispatch
import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The scenarios that threads can disturb, on real threads, for ThreadSanitizer.
@Suite("Sessions on many threads", .leakFree, .timeLimit(.minutes(10)))
struct SessionThreadTests {
  private struct World: Sendable {
    let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let server = TokenServer(scheduler: DispatchQueue.global())
    let session: TokenSession

    init() {
      session = TokenSession(
        grant: JSONRefreshGrant(baseURL: TokenServer.origin, transport: server), store: store,
        scheduler: DispatchQueue.global())
    }

    /// How a call ends: its status, or the name of its error.
    func call(_ path: String) async -> String {
      let api = TestAPI(baseURL: TokenServer.origin, transport: server)
      do {
        return "\(try await session.authorize(api.get(endpoint: path)).value.statusCode)"
      } catch let error as TokenSessionError {
        return error.name
      } catch {
        return "\(error)"
      }
    }

    func calls(_ numbers: ClosedRange<Int>) async -> [String] {
      await withTaskGroup { group in
        for number in numbers { group.addTask { await call("a\(number)") } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
  }

  @Test("TR-01 TR-02 TR-03 Calls on many threads share one refresh, and all succeed")
  func together() async {
    for _ in 1...20 {
      let world = World()
      world.server.expireTokens()
      let outcomes = await world.calls(1...50)
      #expect(outcomes == Array(repeating: "200", count: 50))
      #expect(world.server.refreshes == 1)
    }
  }

  @Test("TR-17 A refused refresh ends the session once")
  func refused() async {
    for _ in 1...20 {
      let world = World()
      let events = TestSubscriber<TokenSession.SignOutCause, Never>()
      world.session.signOuts.receive(subscriber: events)
      world.server.expireTokens()
      world.server.answerRefreshes(.deadGrant)
      let outcomes = await world.calls(1...30)
      #expect(outcomes.allSatisfy { $0 == "refused" || $0 == "signedOut" })
      #expect(world.server.refreshes == 1)
      #expect(events.values.count == 1)
    }
  }

  @Test("TR-23 TR-24 Cancelled calls do not affect waiting ones")
  func cancellation() async {
    for _ in 1...20 {
      let world = World()
      world.server.expireTokens()
      async let kept = world.calls(1...10)
      await withTaskGroup { group in
        for number in 11...20 {
          group.addTask {
            let task = Task { await world.call("a\(number)") }
            task.cancel()
            _ = await task.value
          }
        }
      }
      #expect(await kept == Array(repeating: "200", count: 10))
      #expect(world.server.refreshes == 1)
    }
  }

  @Test("TR-27 TR-28 After sign-outs and sign-ins on other threads, store and memory agree")
  func signOut() async {
    for _ in 1...20 {
      let world = World()
      world.server.expireTokens()
      world.server.accept("other")
      async let outcomes = world.calls(1...20)
      await withTaskGroup { group in
        for _ in 1...4 {
          group.addTask { try? world.session.signOut() }
          group.addTask { try? world.session.signIn(Credential(accessToken: "other")) }
        }
      }
      #expect(await outcomes.allSatisfy { $0 == "200" || $0 == "signedOut" })
      let isSignedIn = await world.call("check") == "200"
      #expect(world.store.read()?.accessToken == (isSignedIn ? "other" : nil))
    }
  }

  @Test("TR-29 A credential that is replaced while calls are refused counts in the end")
  func replaced() async {
    for _ in 1...20 {
      let world = World()
      world.server.expireTokens()
      world.server.accept("newer")
      async let outcomes = world.calls(1...20)
      try? world.session.replaceCredential(with: Credential(accessToken: "newer"))
      #expect(await outcomes == Array(repeating: "200", count: 20))
      #expect(await world.call("last") == "200")
      #expect(world.server.tokens(at: "last") == ["newer"])
    }
  }

  @Test("State changes are delivered in order, from any threads")
  func states() async {
    let world = World()
    let watcher = TestSubscriber<TokenSession.State, Never>()
    world.session.state.receive(subscriber: watcher)
    await withTaskGroup { group in
      for number in 1...100 {
        group.addTask { try? world.session.signIn(Credential(accessToken: "\(number)")) }
        group.addTask { try? world.session.signOut() }
      }
    }
    #expect(watcher.overlaps == 0)
    #expect(zip(watcher.values, watcher.values.dropFirst()).allSatisfy { $0 != $1 })
    let isSignedIn = world.store.read() != nil
    #expect(watcher.values.last == (isSignedIn ? .active : .signedOut))
    watcher.cancel()
  }
}
