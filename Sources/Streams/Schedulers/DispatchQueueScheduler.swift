import Dispatch

/// A dispatch queue runs work in its own way, a concurrent one several pieces at a time.
///
/// Its clock stops while the machine sleeps. Delayed work that is taken back is released at once.
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
    let action = ScheduledAction(action)
    asyncAfter(deadline: .now() + delay.dispatchInterval) { action.run() }
    return action
  }
}

extension Duration {
  /// The same time for Dispatch: to the nanosecond, at most the 292 years that fit.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    guard seconds < Int64.max / 1_000_000_000 else { return .never }
    guard seconds >= 0, attoseconds >= 0 else { return .nanoseconds(0) }
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
