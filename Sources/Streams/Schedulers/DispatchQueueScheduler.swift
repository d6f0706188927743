import Dispatch

/// A dispatch queue as a scheduler.
///
/// A concurrent queue runs several pieces of work at a time.
///
/// Its clock stops while the machine sleeps. Delayed work that is cancelled is released at once,
/// and so is its timer.
extension DispatchQueue: Scheduler {
  public var now: Duration {
    .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    async(execute: action)
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let timer = QueueTimer(action, on: self)
    timer.start(after: delay)
    return timer
  }
}

/// A timer of a dispatch queue.
///
/// It is a dispatch source and not `asyncAfter`, which keeps its block until its time, even after a
/// cancel.
private final class QueueTimer: Cancellable {
  private let action: ScheduledAction
  // `nonisolated(unsafe)` is correct: a source may be used from any thread, but on Linux it is not
  // marked so.
  private nonisolated(unsafe) let source: any DispatchSourceTimer

  init(_ action: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
    self.action = ScheduledAction(action)
    source = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Starts the timer.
  ///
  /// The handler holds this object until the time has come or a cancel, so releasing it does not
  /// cancel the timer.
  func start(after delay: Duration) {
    source.setEventHandler { [self] in
      source.cancel()
      action.run()
    }
    source.schedule(
      deadline: .now() + delay.dispatchInterval, leeway: delay.leeway.dispatchInterval)
    source.activate()
  }

  func cancel() {
    action.cancel()
    source.cancel()
  }
}

extension Duration {
  /// The leeway of a timer, as with `asyncAfter`.
  ///
  /// It allows the system to fire several timers together.
  var leeway: Duration { min(max(self / 10, .milliseconds(1)), .seconds(60)) }

  /// This duration as a Dispatch interval, to the nanosecond.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = asWait.components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
