// Combine's schedulers take points in time, this module's take waits, and both are durations here.
// Code that moves over would compile after small repairs and wait for days, so the compiler says
// what to write.

extension Scheduler {
  /// Work begins after a wait, with no tolerance and no options.
  @available(
    *, unavailable,
    message: """
      after: is a wait here, not a point in time: write schedule(after: delay) { … }, without now, \
      tolerance and options
      """
  )
  public func schedule(
    after date: Duration, tolerance: Duration?, options: Never? = nil,
    _ action: @escaping @Sendable () -> Void
  ) {
    schedule(after: date, action)
  }

  /// Work at once has no options.
  @available(*, unavailable, message: "a scheduler has no options: write schedule { … }")
  public func schedule(options: Never?, _ action: @escaping @Sendable () -> Void) {
    schedule(action)
  }

  /// A publisher repeats work.
  @available(
    *, unavailable,
    message: "write Publishers.Timer(every: interval, on: scheduler).sink { _ in … }"
  )
  public func schedule(
    after date: Duration, interval: Duration, tolerance: Duration? = nil, options: Never? = nil,
    _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    schedule(after: date, action)
  }

  /// A scheduler has no tolerance.
  @available(*, unavailable, message: "a scheduler has no tolerance: leave it out")
  public var minimumTolerance: Duration { .zero }
}

extension Duration {
  /// Most callers pass the result to `schedule(after:)`, which takes a wait.
  @available(
    *, unavailable,
    message: """
      write now + delay to compare times; for schedule(after:) write only the delay, because it \
      takes a wait here, not a point in time
      """
  )
  public func advanced(by other: Duration) -> Duration { self + other }
}
