import Dispatch

/// A dispatch queue runs work in its own way, a concurrent one several pieces at a time.
///
/// Its clock stops while the machine sleeps. Delayed work that is taken back is released at once, and
/// so is its timer.
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

/// One timer of a queue.
///
/// A source of its own and not `asyncAfter`, which keeps its block until its time has come, taken back
/// or not.
private final class QueueTimer: Cancellable {
  private let action: ScheduledAction
  // Unsafe is right: a source may be used from any thread; on Linux it is not marked so.
  private nonisolated(unsafe) let source: any DispatchSourceTimer

  init(_ action: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
    self.action = ScheduledAction(action)
    source = DispatchSource.makeTimerSource(queue: queue)
  }

  /// The handler holds this until the time has come or a cancel, so that dropping it does not cancel.
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
  /// How much later a timer may ring, as with `asyncAfter`: so the system can let several ring
  /// together.
  var leeway: Duration { min(max(self / 10, .milliseconds(1)), .seconds(60)) }

  /// The same time for Dispatch, to the nanosecond.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = asWait.components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
