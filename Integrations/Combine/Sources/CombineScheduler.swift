import Streams

extension Streams.Scheduler {
  /// This scheduler as one of Combine: for `receive(on:)`, `debounce` and the like of a Combine
  /// pipeline.
  ///
  /// With the `TestScheduler` of StreamsTesting, such a pipeline runs in virtual time.
  public var combineScheduler: CombineScheduler {
    CombineScheduler(self)
  }
}

/// A scheduler of Streams as one of Combine.
///
/// Tolerances are ignored: the scheduler of Streams has its own.
public struct CombineScheduler: CombineFramework.Scheduler, Sendable {
  public typealias SchedulerOptions = Never

  public let base: any Streams.Scheduler

  public init(_ base: some Streams.Scheduler) {
    self.base = base
  }

  public var now: SchedulerTimeType { SchedulerTimeType(sinceReference: base.now) }

  /// None.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = CombineAction(action)
    base.schedule { work.run() }
  }

  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void
  ) {
    let work = CombineAction(action)
    _ = base.schedule(after: now.distance(to: date).duration) { work.run() }
  }

  /// Runs work at a time and again after each interval, until the result is cancelled or dropped.
  ///
  /// Times that pass while the scheduler is late are left out, as by the timers of a `DispatchQueue`.
  /// A scheduler that does not wait, as `.immediate`, runs it once, as Combine's does.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any CombineFramework.Cancellable {
    let work = RepeatedAction(CombineAction(action), every: interval.duration, on: base)
    work.start(at: date.sinceReference)
    return CombineFramework.AnyCancellable { work.cancel() }
  }
}

/// Work that Combine gives to a scheduler.
struct CombineAction: @unchecked Sendable {
  // Unchecked is right: Combine does not mark the work that it gives to schedulers, which run it
  // where and when they run anything: each piece once, or one run after the other.
  private let action: () -> Void

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  func run() {
    action()
  }
}
