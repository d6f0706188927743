/// Runs work at once, on the calling thread; a delay is no delay.
///
/// For tests of pipelines that wait: the whole pipeline then runs inside the subscribing call.
public struct ImmediateScheduler: Scheduler {
  public init() {}

  /// Always zero: here time does not pass.
  public var now: Duration { .zero }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    action()
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}

extension Scheduler where Self == ImmediateScheduler {
  /// Runs work at once, on the calling thread.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}
