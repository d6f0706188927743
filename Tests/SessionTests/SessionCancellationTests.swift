import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("Calls that are cancelled while they wait", .leakFree)
struct SessionCancellationTests {
  private let world = SessionWorld()

  /// Lets tokens end, and begins calls that wait for a refresh of one second.
  private func waitingCalls(_ count: Int) -> [SessionWorld.Subscriber] {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let calls = world.callMany(count)
    world.scheduler.advance()
    return calls
  }

  @Test(
    "TR-23 If the call that began the refresh is cancelled, the refresh continues for the others")
  func firstGoes() {
    let calls = waitingCalls(3)
    calls[0].cancel()
    world.scheduler.run()

    #expect(calls.map(\.outcome) == ["open", "200", "200"])
    #expect(world.server.tokens(at: "a1") == ["t0"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-24 One of many calls is cancelled at once, and its request is not sent again")
  func oneGoes() {
    let calls = waitingCalls(5)
    calls[3].cancel()
    world.scheduler.run()

    #expect(calls.map(\.outcome) == ["200", "200", "200", "open", "200"])
    #expect(world.server.tokens(at: "a4") == ["t0"])
  }

  @Test("TR-24 A call that is cancelled while another receives its response is not sent again")
  func goesFromInside() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let box = CallBox()
    let first = TestSubscriber<RESTResponse, any Error> { _, _ in
      box.cancel()
      return .none
    }
    world.get("first").receive(subscriber: first)
    let second = world.call("second")
    box.hold(second)
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["200", "open"])
  }

  @Test("TR-25 If all calls are cancelled, the refresh ends and is stored, and nothing remains")
  func allGo() {
    let calls = waitingCalls(10)
    for call in calls { call.cancel() }
    world.scheduler.run()

    #expect(calls.allSatisfy { $0.outcome == "open" })
    #expect(world.server.calls.filter { $0.token == "t1" }.isEmpty)
    world.server.delay("auth/refresh", by: .zero)
    let next = world.call("next")
    world.scheduler.run()
    #expect(next.outcome == "200")
    #expect(world.server.tokens(at: "next") == ["t1"])
    #expect(world.server.refreshes == 1)
    #expect(world.scheduler.pendingCount == 0)
  }

  @Test("TR-26 A released session serves its waiting calls, and is freed then")
  func released() {
    let scheduler = TestScheduler()
    var world: SessionWorld? = SessionWorld(scheduler)
    world?.server.expireTokens()
    world?.server.delay("auth/refresh", by: .seconds(1))
    let calls = world?.callMany(3) ?? []
    scheduler.advance()
    weak let session = world?.session
    world = nil
    #expect(session != nil)
    scheduler.run()

    #expect(calls.map(\.outcome) == ["200", "200", "200"])
    #expect(session == nil)
  }

  @Test("TR-26 A released session that waits for a silent grant is freed after its timeout")
  func releasedWhileHanging() {
    let scheduler = TestScheduler()
    var world: SessionWorld? = SessionWorld(scheduler)
    world?.server.expireTokens()
    world?.server.answerRefreshes(.never)
    let call = world?.call("a")
    scheduler.advance()
    weak let session = world?.session
    world = nil
    scheduler.advance(by: .seconds(30))
    #expect(call?.outcome == "timedOut")
    #expect(session == nil)
  }

  @Test("A call without demand waits, and continues with demand")
  func demand() {
    world.server.expireTokens()
    let call = SessionWorld.Subscriber(demand: .none)
    world.get("a").receive(subscriber: call)
    world.scheduler.run()
    #expect(call.outcome == "open")
    call.request(.max(1))
    world.scheduler.run()
    #expect(call.outcome == "200")
  }
}

/// Holds a call that another one is to cancel.
final class CallBox: Sendable {
  private let held = Lock<SessionWorld.Subscriber?>(nil)

  func hold(_ call: SessionWorld.Subscriber) {
    held.withLock { $0 = call }
  }

  func cancel() {
    held.withLock { $0.take() }?.cancel()
  }
}
