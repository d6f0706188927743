import Streams

/// The instant at which a pipeline's calls end, whatever they do then.
///
/// ```swift
/// let deadline = CallDeadline.after(.seconds(5))
/// let customer = api.publisher(for: OrderByID(id: 7))
///   .flatMap { api.publisher(for: CustomerByID(id: $0.customer)) }
///   .call(deadline: deadline)
/// ```
///
/// It is a moment and no span: of one that is made when a screen opens, calls that begin later have less
/// time. The same one may go to several pipelines.
public struct CallDeadline: Sendable {
  private let instant: Duration
  /// What measures the time, and where calls end.
  let scheduler: any Scheduler

  private init(instant: Duration, scheduler: any Scheduler) {
    self.instant = instant
    self.scheduler = scheduler
  }

  /// A time from now.
  ///
  /// - Parameters:
  ///   - time: How long calls may take, from this moment on.
  ///   - scheduler: What measures that, and where the failure arrives.
  public static func after(
    _ time: Duration, scheduler: any Scheduler = .continuous
  ) -> CallDeadline {
    CallDeadline(instant: scheduler.now.adding(time), scheduler: scheduler)
  }

  /// An instant of the system's continuous clock.
  public static func at(_ instant: ContinuousClock.Instant) -> CallDeadline {
    .after(ContinuousClock.now.duration(to: instant))
  }

  /// The time that is left; not positive once the deadline has passed.
  public var remaining: Duration { instant - scheduler.now }
}

/// The deadline of a call came before its end.
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
