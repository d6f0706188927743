import Streams

/// What the kit gives to what it checks: how many values to send, a scheduler, and something for
/// closures to call.
public final class ConformanceRig: Sendable {
  /// How many values a publisher is to send before its end; fewer if it cannot have so many.
  public let count: Int

  /// The numbers from one up to ``count``.
  public var values: Range<Int> { 1..<(count + 1) }

  /// A scheduler whose time the kit lets pass: a second for each step of a check.
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

  /// To be called by the closures of what is checked.
  ///
  /// So the kit sees when they run (C-8), whether they are freed (C-7), and can cancel, ask and
  /// subscribe from inside them (C-4, C-6). Without it the rules are checked as far as can be seen
  /// from outside.
  public func touch() {
    onTouch()
  }
}
