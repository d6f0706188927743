import Fixtures
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The content of a store after a delayed write of a credential and a sign-out at the same moment.
@Suite("A credential that is stored late", .leakFree)
struct LateSavingTests {
  private let store = MemoryTokenStore()
  private let isFull = Flag(true)
  private let box = SessionBox()

  /// A store that is full at first; once it is not, the app signs out when something is written.
  private var full: ScriptedTokenStore {
    ScriptedTokenStore(
      store,
      onWrite: { [isFull, box] in
        if isFull.value { throw TestFailure(name: "full") }
        let session = box.held
        box.set(nil)
        try? session?.signOut()
      })
  }

  /// Begins a call once it is time to write again.
  private func callLater(in world: SessionWorld) -> SessionWorld.Subscriber {
    isFull.value = false
    box.set(world.session)
    world.scheduler.advance(by: .seconds(2))
    let call = world.call("b")
    world.scheduler.run()
    return call
  }

  @Test("TR-20 TR-27 A first token does not stay in the store after a sign-out")
  func firstToken() {
    let world = SessionWorld(
      store: full,
      grant: { _ in
        ClosureGrant(requiresSignIn: false) { _ in
          Just(TokenResponse(accessToken: "bought", refreshToken: "r"))
            .setFailureType(to: (any Error).self)
        }
      })
    let first = world.call("a")
    world.scheduler.run()
    #expect(first.outcome == "notWritable")
    let later = callLater(in: world)
    #expect(box.held == nil)
    #expect(later.outcome == "signedOut")
    #expect(store.read() == nil)
  }

  @Test("TR-20 TR-27 A sign-in that the store refused at first does not stay after a sign-out")
  func signIn() {
    let world = SessionWorld(store: full)
    #expect(throws: TestFailure(name: "full")) {
      try world.session.signIn(Credential(accessToken: "t0", refreshToken: "r0"))
    }
    world.call("a")
    world.scheduler.run()
    let later = callLater(in: world)
    #expect(box.held == nil)
    #expect(later.outcome == "signedOut")
    #expect(store.read() == nil)
  }
}
