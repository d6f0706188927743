import Streams

extension Streams.Scheduler {
  /// This scheduler as a Combine scheduler, for operators of a Combine pipeline such as
  /// `receive(on:)` and `debounce`.
  ///
  /// With the `TestScheduler` of StreamsTesting, such a pipeline runs in virtual time.
  public var combineScheduler: CombineScheduler {
    CombineScheduler(self)
  }
}

/// A Combine scheduler that wraps a scheduler of Streams.
///
/// It ignores tolerances: the scheduler of Streams has its own.
public struct CombineScheduler: CombineFramework.Scheduler, Sendable {
  public typealias SchedulerOptions = Never

  public let base: any Streams.Scheduler

  public init(_ base: some Streams.Scheduler) {
    self.base = base
  }

  public var now: SchedulerTimeType { SchedulerTimeType(sinceReference: base.now) }

  /// The minimum tolerance, which is zero.
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

  /// Runs work at a time and again after each interval, until the result is canceled or dropped.
  ///
  /// Times that pass while the scheduler is late are skipped, as by the timers of a
  /// `DispatchQueue`. A scheduler that does not wait, such as `.immediate`, runs the work once, as
  /// Combine's does.
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
  // Unchecked is correct: Combine does not mark the work that it gives to schedulers. They may run
  // it on any thread, each piece once, or one run after another.
  private let action: () -> Void

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  func run() {
    action()
  }
}
