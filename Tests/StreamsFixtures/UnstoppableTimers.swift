import Streams
import StreamsTesting

/// Timers that fire although they were cancelled, like a timer that fires at the same moment.
package struct UnstoppableTimers: Scheduler {
  let base: TestScheduler

  package init(base: TestScheduler) {
    self.base = base
  }

  package var now: Duration { base.now }

  package func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  package func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    _ = base.schedule(after: delay, action)
    return Subscriptions.empty
  }
}
