import Dispatch
import Streams

/// A timer that is exact to the millisecond; URLSession's own timers are not on Linux.
///
/// It is `@unchecked` because a dispatch source is safe to use from any thread, but is not marked
/// Sendable on all platforms.
final class URLSessionDeadline: @unchecked Sendable {
  private let timer: any DispatchSourceTimer
  let time: Duration

  init(_ time: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    self.time = time.asWait
    restart()
    timer.setEventHandler(handler: action)
  }

  // The timer ends with its task's record. A source that was never activated must not be released.
  deinit {
    timer.cancel()
    timer.activate()
  }

  /// Restarts the whole time from now.
  func restart() {
    timer.schedule(deadline: .now().after(time), leeway: .nanoseconds(0))
  }

  func start() { timer.activate() }
}
