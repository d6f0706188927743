import Streams

/// The instant at which a pipeline's calls end in any state.
///
/// ```swift
/// let deadline = CallDeadline.after(.seconds(5))
/// let customer = api.publisher(for: OrderByID(id: 7))
///   .flatMap { api.publisher(for: CustomerByID(id: $0.customer)) }
///   .call(deadline: deadline)
/// ```
///
/// A deadline is an instant, not a duration: if it is made when a screen opens, later calls have less
/// time. Several pipelines may share one deadline.
public struct CallDeadline: Sendable {
  private let instant: Duration
  /// The scheduler that measures the time and ends the calls.
  let scheduler: any Scheduler

  private init(instant: Duration, scheduler: any Scheduler) {
    self.instant = instant
    self.scheduler = scheduler
  }

  /// Returns a deadline after a time from now.
  ///
  /// - Parameters:
  ///   - time: The time that calls may take, from now on.
  ///   - scheduler: The scheduler that measures the time and delivers the failure.
  public static func after(
    _ time: Duration, scheduler: any Scheduler = .continuous
  ) -> CallDeadline {
    CallDeadline(instant: scheduler.now.adding(time), scheduler: scheduler)
  }

  /// Returns a deadline at an instant of the system's continuous clock.
  public static func at(_ instant: ContinuousClock.Instant) -> CallDeadline {
    .after(ContinuousClock.now.duration(to: instant))
  }

  /// The remaining time.
  ///
  /// It is not positive after the deadline.
  public var remaining: Duration { instant - scheduler.now }
}

/// The error of a call that has not ended before its deadline.
///
/// It is the ``RESTError/underlyingError`` of the ``RESTError`` that ``Streams/Publisher/call(deadline:)``
/// fails with.
public struct CallDeadlineError: Error, Sendable, Equatable {
  /// Whether the server may have acted on a request of the call.
  public let mayHaveBeenProcessed: Bool
}

extension CallDeadlineError: CustomStringConvertible {
  public var description: String {
    "the deadline of call(deadline:) has passed; "
      + (mayHaveBeenProcessed
        ? "the server may have processed a request" : "nothing was sent")
  }
}
