import Streams
import Synchronization

extension CombineFramework.Scheduler {
  /// This Combine scheduler as a scheduler of Streams, for operators of a Streams pipeline such as
  /// `receive(on:)` and `debounce`.
  ///
  /// With `RunLoop.main`, for example, values wait while the user scrolls a list, as in Combine. A
  /// `DispatchQueue` is already a scheduler of Streams.
  public var streamsScheduler: StreamsScheduler<Self> {
    StreamsScheduler(self)
  }
}

/// A scheduler of Streams that wraps a Combine scheduler.
public struct StreamsScheduler<Base: CombineFramework.Scheduler>: Streams.Scheduler,
  @unchecked Sendable
{
  // Unchecked is correct: Combine does not mark its schedulers, which exist to be called from other
  // threads. The points in time are only compared and never changed.
  public let base: Base
  private let start: Base.SchedulerTimeType

  public init(_ base: Base) {
    self.base = base
    start = base.now
  }

  /// The time on the scheduler's clock since this scheduler was created, in whole nanoseconds.
  ///
  /// The clock of a `RunLoop` or an `OperationQueue` is the time of day, which may be set back.
  public var now: Duration { Duration(start.distance(to: base.now)) }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    base.schedule(action)
  }

  /// Runs work after a delay, with the scheduler's own tolerance.
  ///
  /// Combine cannot revoke work: a cancel releases the work, and its timer then fires without
  /// effect.
  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Streams.Cancellable {
    let action = RevocableAction(action)
    base.schedule(after: base.now.advanced(by: delay.stride())) { action.run() }
    return action
  }
}

/// Work that runs once, or is revoked and released.
private final class RevocableAction: Streams.Cancellable {
  // A struct, since the generic lock would wrap a bare closure.
  private struct Work {
    let perform: @Sendable () -> Void
  }

  private let work: Mutex<Work?>

  init(_ perform: @escaping @Sendable () -> Void) {
    work = Mutex(Work(perform: perform))
  }

  func run() {
    work.withLock { $0.take() }?.perform()
  }

  func cancel() {
    _ = work.withLock { $0.take() }
  }
}
