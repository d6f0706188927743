import Streams

/// Timers that never ring; while one is set, something else happens.
struct InterposingTimers: Scheduler {
  let timer = CountingSubscription()
  let meanwhile: @Sendable () -> Void

  var now: Duration { .zero }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    meanwhile()
    return timer
  }
}
