import Dispatch

/// A timer that is exact to the millisecond, which URLSession's own are not on Linux.
///
/// `@unchecked` because a dispatch source is safe to use from any thread but not marked so
/// everywhere.
final class URLSessionDeadline: @unchecked Sendable {
  private let timer: any DispatchSourceTimer
  private let time: DispatchTimeInterval

  init(_ time: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    let (seconds, attoseconds) = time.components
    // 10,000 days: beyond any wait, and far from an overflow.
    let nanoseconds = Int(min(max(seconds, 0), 864_000_000)) * 1_000_000_000
    self.time = .nanoseconds(nanoseconds + Int(max(attoseconds, 0) / 1_000_000_000))
    restart()
    timer.setEventHandler(handler: action)
  }

  // A source that was never activated must not be released.
  deinit {
    timer.cancel()
    timer.activate()
  }

  /// Lets the whole time run again, from now.
  func restart() {
    timer.schedule(deadline: .now() + time, leeway: .nanoseconds(0))
  }

  func start() { timer.activate() }

  func cancel() { timer.cancel() }
}
