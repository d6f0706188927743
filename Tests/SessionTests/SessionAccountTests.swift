import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("What a session tells of its user", .leakFree)
struct SessionAccountTests {
  private static let rex = Credential(
    accessToken: "t0", refreshToken: "r0", account: "rex", extras: ["device_id": "A"])

  @Test("The account and the extras are those of the store, before any call")
  func unread() {
    let session = SessionWorld(credential: Self.rex).session
    #expect(session.extras == ["device_id": "A"])
    #expect(session.account == "rex")
    #expect(SessionWorld(credential: Self.rex).session.account == "rex")
  }

  @Test("They are those of who is signed in, and nobody's after a sign-out")
  func changes() throws {
    let session = SessionWorld(credential: nil).session
    #expect(session.account == nil && session.extras.isEmpty)
    try session.signIn(Self.rex)
    #expect(session.account == "rex" && session.extras == ["device_id": "A"])
    try session.signIn(Credential(accessToken: "t1", account: "ada"))
    #expect(session.account == "ada" && session.extras.isEmpty)
    try session.signOut()
    #expect(session.account == nil && session.extras.isEmpty)
  }

  @Test("A user whom another session has signed in at an empty store is found")
  func elsewhere() {
    let store = MemoryTokenStore()
    let session = SessionWorld(store: store).session
    #expect(session.account == nil)
    store.write(Self.rex)
    #expect(session.account == "rex")
  }

  @Test("A refresh keeps the account, and its response may have new extras")
  func refreshed() {
    let world = SessionWorld(credential: Self.rex) { server in
      JSONRefreshGrant(
        baseURL: TokenServer.origin, names: JSONRefreshGrant.Names(extras: ["shard"]),
        transport: server)
    }
    world.server.expireTokens()
    world.server.accept("t1")
    world.server.answerRefreshes(.json(#"{"accessToken": "t1", "shard": 8}"#))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.session.extras == ["device_id": "A", "shard": 8])
    #expect(world.session.account == "rex")
  }

  @Test("After a refused refresh there is nobody")
  func refused() {
    let world = SessionWorld(credential: Self.rex)
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "refused")
    #expect(world.session.account == nil && world.session.extras.isEmpty)
  }

  @Test("While the store cannot be read, nobody is known, and who is known stays so")
  func unreadable() throws {
    let isBroken = Lock(true)
    let store = ScriptedTokenStore(
      MemoryTokenStore(Self.rex),
      onRead: { _, _ in if isBroken.withLock(\.self) { throw TestFailure() } })
    let session = SessionWorld(store: store).session
    #expect(session.account == nil && session.extras.isEmpty)
    isBroken.withLock { $0 = false }
    #expect(session.account == "rex")
    isBroken.withLock { $0 = true }
    #expect(session.account == "rex")
  }

  @Test("During another thread's first look into the store, the user is known nevertheless")
  func meanwhile() {
    let session = Lock<TokenSession?>(nil)
    let seen = ValueLog<String?>()
    let store = ScriptedTokenStore(
      MemoryTokenStore(Self.rex),
      onRead: { number, _ in
        if number == 1, let session = session.withLock(\.self) { seen.add(session.account) }
      })
    let world = SessionWorld(store: store)
    session.withLock { $0 = world.session }
    #expect(world.session.account == "rex")
    #expect(seen.all == ["rex"])
    session.withLock { $0 = nil }
  }
}
