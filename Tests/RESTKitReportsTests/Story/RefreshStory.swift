import Fixtures
import Streams
import StreamsTesting

@testable import HTTPWire
@testable import RESTKit

/// The 401 story: two calls whose token has ended, and one that begins while it is renewed, as
/// their own logs tell it.
struct RefreshStory {
  private let scheduler = TestScheduler()
  private let refresh: LogicalCall
  private let calls: [(name: String, call: LogicalCall)]

  private let clock: TickingClock

  init() {
    clock = TickingClock(scheduler)
    refresh = LogicalCall(clock: clock)
    calls = ["orders", "profile", "cart"].map { [clock] in ($0, LogicalCall(clock: clock)) }
  }

  /// Runs it in virtual time.
  func run() -> SequenceDiagram {
    let log = refresh
    let world = SessionWorld(scheduler) { server in
      let grant = JSONRefreshGrant(baseURL: TokenServer.origin, transport: server)
      return ClosureGrant {
        grant.token(renewing: $0).context(ScopedCall.Key.self, ScopedCall(of: log)).mapError {
          $0 as any Error
        }
      }
    }
    world.server.expireTokens()
    for (path, delay) in [("orders", 20), ("profile", 30), ("cart", 10), ("auth/refresh", 40)] {
      world.server.delay(path, by: .milliseconds(delay))
    }
    for (index, (name, call)) in calls.enumerated() {
      _ = scheduler.schedule(after: .milliseconds(index < 2 ? 0 : 40)) {
        world.begin(world.get(name).context(ScopedCall.Key.self, ScopedCall(of: call)))
      }
    }
    clock.begin()
    scheduler.run()
    return diagram
  }

  private var diagram: SequenceDiagram {
    // Each arrow leads to the next lane, so none crosses another lane's line.
    var diagram = SequenceDiagram(
      title: "Three calls, one refresh", lanes: ["API", "app", "session", "token server"])
    for event in refresh.journal.log.events {
      switch event.kind {
      case .sent:
        diagram.add(
          event.time, from: "session", to: "token server", of: "refresh", "POST /auth/refresh")
      case .received(let status, _):
        diagram.add(
          event.time, from: "token server", to: "session", of: "refresh", "\(status), a new token")
      default: break
      }
    }
    for (name, call) in calls {
      for event in call.journal.log.events { add(event, of: name, to: &diagram) }
    }
    return diagram
  }

  private func add(_ event: CallEvent, of name: String, to diagram: inout SequenceDiagram) {
    switch event.kind {
    case .sent(_, let cause):
      let text = "GET /\(name)\(cause == .refresh ? ", once more" : "")"
      diagram.add(event.time, from: "app", to: "API", of: name, text)
    case .received(let status, _):
      diagram.add(event.time, from: "API", to: "app", of: name, "\(name): \(status)")
    case .joinedRefresh(let number):
      diagram.add(
        event.time, from: "app", to: "session", of: name, "\(name) waits for refresh \(number)")
    case .refreshed(let number):
      diagram.add(
        event.time, from: "session", to: "app", of: name, "\(name): token of refresh \(number)")
    default:
      break
    }
  }
}

/// A scheduler whose clock, once it has begun, goes on by a nanosecond when it is read: so what
/// happens at one moment, in several logs, can be put in order.
private final class TickingClock: Scheduler {
  private let base: TestScheduler
  private let ticks = Lock<Int?>(nil)

  init(_ base: TestScheduler) {
    self.base = base
  }

  func begin() {
    ticks.withLock { $0 = 0 }
  }

  var now: Duration {
    let tick = ticks.withLock { ticks in
      ticks = ticks.map { $0 + 1 }
      return ticks ?? 0
    }
    return base.now + .nanoseconds(tick)
  }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    base.schedule(action)
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    base.schedule(after: delay, action)
  }
}
