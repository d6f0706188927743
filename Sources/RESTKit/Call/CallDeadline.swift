import Streams
import Synchronization

/// The instant at which a pipeline's calls end in any state.
///
/// ```swift
/// let deadline = CallDeadline.after(.seconds(5))
/// let customer = api.publisher(for: OrderByID(id: 7))
///   .flatMap { api.publisher(for: CustomerByID(id: $0.customer)) }
///   .call(deadline: deadline)
/// ```
///
/// A deadline is an instant, not a duration: if it is made when a screen opens, later calls have
/// less time. Several pipelines may share one deadline.
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
    _ time: Duration, scheduler: any Scheduler = StandardTime.scheduler(else: .continuous)
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
/// It is the ``RESTError/underlyingError`` of the ``RESTError`` that
/// ``Streams/Publisher/call(deadline:)`` fails with.
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

/// The record of the calls under a deadline.
///
/// Each call has a budget and a journal of its own.
final class DeadlineRecord: Sendable {
  private struct State: Sendable {
    /// The journal of the call that last began or sent a request.
    var journal: CallJournal?
    /// Whether a call has sent a request.
    var hasSent = false
  }

  let deadline: CallDeadline
  /// The call that contains the whole pipeline, such as that of a retry downstream of the deadline;
  /// nil if there is none.
  private let call: LogicalCall?
  /// The record of a later deadline around this one.
  private let outer: DeadlineRecord?
  private let isOver = Atomic<Bool>(false)
  private let state = Lock(State())

  /// - Parameters:
  ///   - outer: The record of a later deadline around this one, if there is one.
  ///   - call: The call that contains the whole pipeline, if there is one.
  init(of deadline: CallDeadline, within outer: DeadlineRecord?, around call: LogicalCall?) {
    self.deadline = deadline
    self.call = call
    self.outer = outer
  }

  /// Records that the deadline has passed.
  ///
  /// From now on, a cancelled call was ended by the deadline.
  func end() { isOver.store(true, ordering: .relaxed) }

  /// Records that a call begins or sends a request.
  func note(_ journal: CallJournal, hasSent: Bool) {
    let released = state.withLock { state in
      defer {
        state.journal = journal
        state.hasSent = state.hasSent || hasSent
      }
      return state.journal
    }
    withExtendedLifetime(released) {}
    outer?.note(journal, hasSent: hasSent)
  }

  /// Returns the failure of a cancelled call; nil unless the deadline ended the call.
  func failure(ofCallWith journal: CallJournal) -> RESTError? {
    guard isOver.load(ordering: .relaxed) else { return outer?.failure(ofCallWith: journal) }
    return RESTError(
      CallDeadlineError(mayHaveBeenProcessed: journal.attempts > 0), request: journal.request)
  }

  /// The request of the call that last began or sent one; nil before the first.
  var request: RequestSummary? {
    (call?.journal ?? state.withLock { $0.journal })?.request
  }

  /// The failure of the pipeline.
  ///
  /// It is complete once the calls are cancelled, because only then it is known what they sent.
  var failure: any Error {
    let (journal, hasSent) = state.withLock { ($0.journal, $0.hasSent) }
    if let call {
      return RESTError(
        CallDeadlineError(mayHaveBeenProcessed: call.attempts > 0), request: call.journal.request
      ).recorded(in: call.journal)
    }
    let error = RESTError(
      CallDeadlineError(mayHaveBeenProcessed: hasSent), request: journal?.request)
    return journal.map { error.telling(of: $0) } ?? error
  }
}

extension RESTError {
  fileprivate init(_ error: CallDeadlineError, request: RequestSummary?) {
    self.init(
      .transport(.timedOut), reason: "\(error)",
      remedy: "Check whether the server is overloaded, or call with a later deadline.",
      request: request, attempts: 0, underlyingError: error)
  }
}
