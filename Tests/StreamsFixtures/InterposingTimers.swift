import Streams

/// Timers that never ring; while one is set, something else happens.
package struct InterposingTimers: Scheduler {
  package let timer = CountingSubscription()
  let meanwhile: @Sendable () -> Void

  package init(meanwhile: @escaping @Sendable () -> Void) {
    self.meanwhile = meanwhile
  }

  package var now: Duration { .zero }

  package func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  package func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    meanwhile()
    return timer
  }
}
