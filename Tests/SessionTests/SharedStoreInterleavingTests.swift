import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Two sessions, one store and one app, in all orders of what they do to the store and the server.
@Suite("Two sessions, one store and one app in every order")
struct SharedStoreInterleavingTests {
  /// A store that lets the others go ahead before each of its steps.
  private final class SteppedStore: TokenStore {
    let memory: MemoryTokenStore

    init(_ credential: Credential?) {
      memory = MemoryTokenStore(credential)
    }

    func read() -> Credential? {
      SteppedLanes.step()
      return memory.read()
    }

    func write(_ credential: Credential?) {
      SteppedLanes.step()
      memory.write(credential)
    }

    func replace(_ old: Credential?, with new: Credential?) -> Bool {
      SteppedLanes.step()
      return memory.replace(old, with: new)
    }

    func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { memory.refreshTurn() }
  }

  /// Two sessions at one store, and a server that takes each refresh token once.
  private final class Pair: Sendable {
    let store: SteppedStore
    let server = TokenServer(scheduler: .immediate)
    let sessions: [TokenSession]
    let calls = Calls()

    init(
      _ credential: Credential?, grant: (@Sendable (TokenServer) -> any TokenGrant)? = nil
    ) {
      let store = SteppedStore(credential)
      self.store = store
      let server = server
      server.expireTokens()
      server.takeRefreshTokensOnce()
      let grant =
        grant?(server)
        ?? JSONRefreshGrant(baseURL: TokenServer.origin, transport: SteppedLine(server))
      sessions = (0..<2).map { _ in
        TokenSession(grant: grant, store: store, scheduler: TestScheduler())
      }
    }

    func call(_ session: Int) {
      let api = TestAPI(baseURL: TokenServer.origin, transport: server)
      let call = SessionWorld.Subscriber()
      calls.add(call)
      sessions[session].authorize(api.get(endpoint: "of\(session)")).receive(subscriber: call)
    }
  }

  /// Lets the others go ahead before a request arrives, and before its response does.
  private struct SteppedLine: Transport {
    let server: TokenServer

    init(_ server: TokenServer) {
      self.server = server
    }

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Deferred {
        SteppedLanes.step()
        return server.response(for: request).handleEvents(receiveOutput: { _ in
          SteppedLanes.step()
        })
      }
      .eraseToAnyPublisher()
    }
  }

  private static let first = Credential(accessToken: "t0", refreshToken: "r0", account: "A")
  private static let second = Credential(accessToken: "b", refreshToken: "rb", account: "B")

  @Test("TR-31 Two calls of two sessions share one refresh, and both succeed")
  func calls() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(Self.first)
      return (
        [{ pair.call(0) }, { pair.call(1) }],
        {
          guard pair.calls.outcomes == ["200", "200"] else { return "\(pair.calls.outcomes)" }
          return pair.server.refreshes == 1 ? nil : "\(pair.server.calls)"
        }
      )
    }
    #expect(orders > 20)
  }

  @Test("TR-27 TR-31 After a sign-out during refreshes the store is empty in the end")
  func signOut() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(Self.first)
      return (
        [{ pair.call(0) }, { pair.call(1) }, { try? pair.sessions[0].signOut() }],
        {
          if let left = pair.store.memory.read() { return "\(left.accessToken) is stored" }
          let outcomes = pair.calls.outcomes
          return outcomes.allSatisfy { ["200", "signedOut", "refused"].contains($0) }
            ? nil : "\(outcomes)"
        }
      )
    }
    #expect(orders > 1_000)
  }

  @Test(
    "TR-28 TR-31 With a new user the store is theirs, and no call of the first sends their token")
  func otherUser() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(Self.first)
      pair.server.accept("b")
      // Known to be the first one's from the start.
      try? pair.sessions[0].signIn(Self.first)
      try? pair.sessions[1].signIn(Self.first)
      return (
        [{ pair.call(1) }, { pair.call(1) }, { try? pair.sessions[0].signIn(Self.second) }],
        {
          guard pair.store.memory.read() == Self.second else {
            return "\(pair.store.memory.read()?.accessToken ?? "nothing") is stored"
          }
          // A call that begins once the store's change was found is the second user's.
          let tokens = pair.server.tokens(at: "of1")
          let ended = pair.calls.outcomes.contains("signedOut")
          return ended || !tokens.contains("b") ? nil : "\(tokens)"
        }
      )
    }
    #expect(orders > 100)
  }

  @Test("TR-27 A sign-out while a first token is requested leaves nothing of the token")
  func firstToken() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(nil) { server in
        ClosureGrant(requiresSignIn: false) { _ in
          Deferred {
            SteppedLanes.step()
            server.accept("bought")
            return Just(TokenResponse(accessToken: "bought"))
              .setFailureType(to: (any Error).self)
          }
        }
      }
      return (
        [{ pair.call(0) }, { try? pair.sessions[0].signOut() }],
        {
          let left = pair.store.memory.read()
          // One that began after the sign-out has bought its own.
          return (pair.calls.outcomes == ["200"]) == (left != nil)
            || pair.calls.outcomes == ["200"] ? nil : "\(pair.calls.outcomes), \(left != nil)"
        }
      )
    }
    #expect(orders > 5)
  }

  @Test("TR-17 TR-31 A refused credential does not remove another session's new sign-in")
  func refusal() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(Self.first)
      pair.server.accept("b")
      pair.server.answerRefreshes(.deadGrant)
      return (
        [{ pair.call(0) }, { try? pair.sessions[1].signIn(Self.second) }],
        {
          pair.store.memory.read() == Self.second
            ? nil : "\(pair.store.memory.read()?.accessToken ?? "nothing") is stored"
        }
      )
    }
    #expect(orders > 5)
  }

  @Test("TR-28 After two concurrent sign-ins in one session memory and store agree")
  func twoSignIns() throws {
    let orders = try SteppedLanes.explore {
      let pair = Pair(nil)
      pair.server.accept("b")
      pair.server.accept("t0")
      return (
        [
          { try? pair.sessions[0].signIn(Self.first) },
          { try? pair.sessions[0].signIn(Self.second) },
          { try? pair.sessions[0].signOut() },
        ],
        {
          pair.call(0)
          let stored = pair.store.memory.read()?.accessToken
          let sent = pair.server.tokens(at: "of0").last ?? nil
          return stored == sent
            ? nil : "\(stored ?? "nothing") is stored, \(sent ?? "nothing") sent"
        }
      )
    }
    #expect(orders > 50)
  }
}
