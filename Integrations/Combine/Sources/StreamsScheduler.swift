import Streams
import Synchronization

extension CombineFramework.Scheduler {
  /// This Combine scheduler as one of Streams: for `receive(on:)`, `debounce` and the like of a
  /// pipeline of Streams.
  ///
  /// With `RunLoop.main`, for one, values wait while a list is scrolled, as they do in Combine. A
  /// `DispatchQueue` is a scheduler of Streams already.
  public var streamsScheduler: StreamsScheduler<Self> {
    StreamsScheduler(self)
  }
}

/// A Combine scheduler as one of Streams.
public struct StreamsScheduler<Base: CombineFramework.Scheduler>: Streams.Scheduler,
  @unchecked Sendable
{
  // Unchecked is right: Combine does not mark its schedulers, which exist to be called from other
  // threads. The moments are compared with one another and changed by nobody.
  public let base: Base
  private let start: Base.SchedulerTimeType

  public init(_ base: Base) {
    self.base = base
    start = base.now
  }

  /// The time on the scheduler's clock since this was made, in whole nanoseconds.
  ///
  /// That of a `RunLoop` or an `OperationQueue` is the time of day, which may be set back.
  public var now: Duration { Duration(start.distance(to: base.now)) }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    base.schedule(action)
  }

  /// Runs work once a time has passed, to the scheduler's own tolerance.
  ///
  /// Combine cannot take work back: a cancel releases it, and its timer rings for nothing.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Streams.Cancellable {
    let action = RevocableAction(action)
    base.schedule(after: base.now.advanced(by: delay.stride())) { action.run() }
    return action
  }
}

/// Work that runs once, or is taken back and released.
private final class RevocableAction: Streams.Cancellable {
  // A struct and not the bare closure, which the generic lock would wrap.
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
