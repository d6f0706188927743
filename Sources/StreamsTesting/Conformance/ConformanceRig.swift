import Streams

/// The tools that the kit gives to the code it checks: a number of values, a scheduler, and a
/// method for closures to call.
public final class ConformanceRig: Sendable {
  /// The number of values that a publisher sends before its end.
  ///
  /// A publisher that cannot have so many sends fewer.
  public let count: Int

  /// The numbers from one to ``count``.
  public var values: Range<Int> { 1..<(count + 1) }

  /// A scheduler in virtual time, which the kit advances by one second for each step of a check.
  public let scheduler: any Scheduler

  private let onTouch: @Sendable () -> Void
  private let onRelease: @Sendable () -> Void

  init(
    count: Int, scheduler: any Scheduler,
    onTouch: @escaping @Sendable () -> Void = {}, onRelease: @escaping @Sendable () -> Void = {}
  ) {
    self.count = count
    self.scheduler = scheduler
    self.onTouch = onTouch
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }

  /// Tells the kit that a closure runs.
  ///
  /// The closures of the checked code must call it.
  ///
  /// The kit then sees when closures run (C-8) and whether they are freed (C-7), and can cancel,
  /// request and subscribe from inside them (C-4, C-6). Without these calls, the kit checks only
  /// the rules that can be seen from outside.
  public func touch() {
    onTouch()
  }
}
