import Dispatch

/// A timer that is exact to the millisecond, which URLSession's own are not on Linux.
///
/// `@unchecked` because a dispatch source is safe to use from any thread but not marked so
/// everywhere.
final class URLSessionDeadline: @unchecked Sendable {
  private let timer: any DispatchSourceTimer
  let time: DispatchTimeInterval

  init(_ time: Duration, on queue: DispatchQueue, _ action: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
    // 10,000 days: beyond any wait, and far from an overflow.
    let (seconds, attoseconds) = min(max(time, .zero), .seconds(864_000_000)).components
    self.time = .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    restart()
    timer.setEventHandler(handler: action)
  }

  // It ends with its task's record. A source that was never activated must not be released.
  deinit {
    timer.cancel()
    timer.activate()
  }

  /// Lets the whole time run again, from now.
  func restart() {
    timer.schedule(deadline: .now() + time, leeway: .nanoseconds(0))
  }

  func start() { timer.activate() }
}
