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

  @discardableResult
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
///
/// It is `@unchecked` because a source may be used from any thread, but is marked so on Apple's
/// systems only.
private final class QueueTimer: Cancellable, @unchecked Sendable {
  private let action: ScheduledAction
  private let source: any DispatchSourceTimer

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
    source.schedule(deadline: .now().after(delay), leeway: delay.leeway)
    source.activate()
  }

  func cancel() {
    action.cancel()
    source.cancel()
  }
}

extension DispatchTime {
  /// Returns the moment at the end of a wait, to the nanosecond.
  ///
  /// It is not the sum with a `DispatchTimeInterval`. On watchOS the `Int` of `nanoseconds` has 32
  /// bits, which are full after two seconds.
  package func after(_ wait: Duration) -> DispatchTime {
    let (sum, overflows) = uptimeNanoseconds.addingReportingOverflow(wait.nanosecondsOfWait)
    return overflows ? .distantFuture : DispatchTime(uptimeNanoseconds: sum)
  }
}

extension Duration {
  /// This duration as a delay in nanoseconds.
  var nanosecondsOfWait: UInt64 { UInt64(clamping: asWait.attoseconds / 1_000_000_000) }

  /// The leeway of a timer, as with `asyncAfter`.
  ///
  /// It allows the system to fire several timers together.
  var leeway: DispatchTimeInterval {
    let leeway = min(max(self / 10, .milliseconds(1)), .seconds(60))
    // 60 seconds are 60,000,000 microseconds, for which 32 bits are enough.
    return .microseconds(Int(clamping: leeway.attoseconds / 1_000_000_000_000))
  }
}
