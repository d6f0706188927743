import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit

@Suite("A token store that fails, or changes at the wrong moment")
struct TokenStoreFailureTests {
  @Test("A store that cannot be read does not sign out, and nothing is sent")
  func readFails() async throws {
    let stubs = StubTransport()
    let tokens = ScriptedTokenStore(onRead: { _, _ in throw TestFailure(name: "locked") })
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.storeNotReadable(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure(name: "locked"))
    #expect("\(error)".hasPrefix("No profile. The token store could not be read; "))
    #expect(stubs.requests.isEmpty)
    #expect(tokens.stored == Identity.credential)
  }

  @Test("A store that cannot be read before the refresh ends the call without a refresh")
  func readFailsBeforeRefresh() async throws {
    let stubs = StubTransport(Identity.unauthorized())
    let tokens = ScriptedTokenStore(onRead: { read, _ in
      if read > 1 { throw TestFailure(name: "locked") }
    })
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.storeNotReadable(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure(name: "locked"))
    #expect(stubs.requests.count == 1)
  }

  @Test("A store that cannot be read after a refusal is reported, and no user is signed out")
  func readFailsAfterRefusal() async throws {
    let stubs = StubTransport(Identity.script(refresh: .json("{}"), status: 401))
    let tokens = ScriptedTokenStore(onRead: { read, _ in
      if read > 2 { throw TestFailure(name: "locked") }
    })
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.storeNotReadable(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure(name: "locked"))
    #expect(tokens.stored == Identity.credential)
  }

  @Test("A store that never grants a turn ends the call, and no refresh is sent")
  func noTurn() async throws {
    let stubs = StubTransport(Identity.unauthorized())
    let error = try await IdentityService(stubs, tokens: NoTurns()).profileError()
    guard case .session(.storeNotReadable(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure(name: "no turn"))
    #expect(stubs.requests.count == 1)
  }

  /// A store that never grants a turn to refresh.
  private struct NoTurns: TokenStore {
    let memory = MemoryTokenStore(Identity.credential)

    func read() -> Credential? { memory.read() }
    func write(_ credential: Credential?) { memory.write(credential) }
    func replace(_ old: Credential?, with new: Credential?) -> Bool {
      memory.replace(old, with: new)
    }
    func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
      Fail(error: TestFailure(name: "no turn")).eraseToAnyPublisher()
    }
  }

  @Test("A store that cannot be written ends the call with its error, and nothing more is sent")
  func writeFails() async throws {
    let stubs = StubTransport(Identity.script(refresh: .json(Identity.refreshed)))
    let tokens = ScriptedTokenStore(onWrite: { throw TestFailure(name: "disk full") })
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.storeNotWritable(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure(name: "disk full"))
    #expect(stubs.requests.count == 2)
    #expect(tokens.stored == Identity.credential)
  }

  @Test("Signing in and out throw the store's error")
  func signInFails() {
    let tokens = ScriptedTokenStore(onWrite: { throw TestFailure() })
    let service = IdentityService(StubTransport(), tokens: tokens)
    #expect(throws: TestFailure()) { try service.signIn(Identity.credential) }
    #expect(throws: TestFailure()) { try service.signOut() }
  }

  @Test("A sign-out at the very moment the new token is stored keeps the store empty")
  func signOutWhileStoring() async throws {
    let stubs = StubTransport(
      Identity.script(refresh: .json(Identity.refreshed), retry: Identity.profile))
    let memory = MemoryTokenStore(Identity.credential)
    let tokens = ScriptedTokenStore(memory, onWrite: { memory.write(nil) })
    _ = try await IdentityService(stubs, tokens: tokens).fetchProfile.value
    #expect(tokens.stored == nil)
  }
}
