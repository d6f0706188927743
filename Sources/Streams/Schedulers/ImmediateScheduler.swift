/// A scheduler that runs work at once, on the calling thread, and ignores delays.
///
/// Use it to test pipelines that wait: the whole pipeline then runs inside the subscribing call.
public struct ImmediateScheduler: Scheduler {
  public init() {}

  /// Always zero, because time does not pass on this scheduler.
  public var now: Duration { .zero }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    action()
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    action()
    return Subscriptions.empty
  }
}

extension Scheduler where Self == ImmediateScheduler {
  /// A scheduler that runs work at once, on the calling thread.
  public static var immediate: ImmediateScheduler { ImmediateScheduler() }
}
