import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("A place in the line for a credential", .leakFree)
struct CredentialWaitTests {
  @Test("TR-24 A place abandoned before the wait begins gets nothing, and delays no other call")
  func leftBefore() {
    // The stored credential has to be refreshed first.
    let world = SessionWorld(
      credential: Credential(accessToken: "t0", refreshToken: "r0", expiresAt: .distantPast))
    let ends = Lock(0)
    let wait = CredentialWait(for: LogicalCall(clock: world.scheduler), in: world.session)
    wait.cancel()
    wait.begin { _ in ends.withLock { $0 += 1 } }
    let next = world.call("next")
    world.scheduler.run()

    #expect(ends.withLock { $0 } == 0)
    #expect(next.outcome == "200")
  }

  @Test("TR-24 A place abandoned during the wait gets nothing, and releases its handler")
  func leftMeanwhile() {
    let world = SessionWorld(
      credential: Credential(accessToken: "t0", refreshToken: "r0", expiresAt: .distantPast))
    world.server.delay("auth/refresh", by: .seconds(1))
    let wait = CredentialWait(for: LogicalCall(clock: world.scheduler), in: world.session)
    weak var told: Counter?
    do {
      let counter = Counter()
      told = counter
      wait.begin { _ in counter.add() }
    }
    #expect(told?.value == 0)
    wait.cancel()
    #expect(told == nil)
    world.scheduler.run()
    #expect(world.server.refreshes == 1)
    #expect(wait.take() == nil)
  }
}
