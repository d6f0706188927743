import Streams
import StreamsTesting

/// Timers that fire although they were cancelled, like a timer that fires at the same moment.
struct UnstoppableTimers: Scheduler {
  let base: TestScheduler

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    _ = base.schedule(after: delay, action)
    return Subscriptions.empty
  }
}
