import Streams

/// The state that the retries, refreshes and redirects of one subscription to a pipeline share: a
/// budget and a journal.
///
/// The outermost of them makes the call and puts it into the subscription's context for everything
/// upstream. So each request is counted once, whichever stage sends it again.
final class LogicalCall: Sendable {
  /// The journal, which records events.
  ///
  /// The budget makes the decisions.
  let journal: CallJournal
  private let budget = Lock(CallBudget())
  /// The record of the calls under the deadline of this call; nil without a deadline.
  private let deadline: DeadlineRecord?

  /// - Parameters:
  ///   - clock: The clock of the call; nil to leave the choice to an observer.
  ///   - deadline: The record of the deadline that may end the call; nil without one.
  ///   - context: The context of the subscriber to the pipeline.
  init(
    clock: (any Scheduler)? = nil, under deadline: DeadlineRecord? = nil,
    in context: SubscriptionContext = SubscriptionContext()
  ) {
    journal = CallJournal(clock: clock, in: context)
    self.deadline = deadline
    deadline?.note(journal, hasSent: false)
  }

  /// The time since the call began; zero without a clock.
  var elapsed: Duration { journal.elapsed }

  /// The number of attempts.
  ///
  /// Redirects do not count.
  var attempts: Int { budget.withLock { $0.attempts } }

  /// The attempt and cause of the last request, including redirects; nil before the first.
  var lastSending: (attempt: Int, cause: CallCause)? { budget.withLock { $0.lastSending } }

  /// Sets the cause of the next request.
  ///
  /// The first request needs none.
  func prepareNext(cause: CallCause) {
    budget.withLock { $0.nextCause = cause }
  }

  /// Records that the requests of a part are repeated, after a refresh with a new credential or by a
  /// retry.
  func beginRepetition(of ledger: PartLedger, cause: CallCause) {
    ledger.noteRepetition(cause: cause)
    budget.withLock { $0.keys.repeatRequests(of: ledger.part) }
  }

  /// Records that a request of a part is sent that must not run twice.
  ///
  /// - Parameter own: The key from the user, if there is one.
  /// - Returns: The request's place, and its key if it is known.
  func take(
    _ request: RequestSummary, key own: String?, in part: RepeatedPart
  ) -> (place: Int, key: String?) {
    budget.withLock { $0.keys.take(request, key: own, in: part) }
  }

  /// Records the key that was made for the request at a place.
  func note(_ key: String, at place: Int) {
    budget.withLock { $0.keys.note(key, at: place) }
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - isJoined: Whether another call's exchange answers the request.
  ///   - repetition: The cause of the repetition, or nil if no part repeats the request.
  @discardableResult
  func beginExchange(
    isRedirected: Bool, isJoined: Bool = false, repetition: CallCause? = nil
  ) -> CallBudget.Sending {
    let sending = budget.withLock {
      $0.beginExchange(isRedirected: isRedirected, repetition: repetition)
    }
    deadline?.note(journal, hasSent: true)
    journal.recordSent(attempt: sending.attempt, cause: sending.cause, isJoined: isJoined)
    return sending
  }

  /// Records the end of the pipeline, or a cancel with nil; only the first end counts.
  ///
  /// A deadline ends its calls by a cancel. The journal then records the deadline's failure.
  func end(with completion: Subscribers.Completion<any Error>?) {
    if completion == nil, let failure = deadline?.failure(ofCallWith: journal) {
      journal.end(failure: failure)
    } else {
      journal.end(with: completion)
    }
  }

  /// Whether a call may be sent as a member of a group.
  ///
  /// It may not if it was sent as another member.
  func admits(_ member: any CallBudget.Party, of group: any CallBudget.Party) -> Bool {
    budget.withLock { $0.admits(member, of: group) }
  }

  /// Whether the call has used its refresh.
  var hasRefreshed: Bool { budget.withLock { $0.hasRefreshed } }

  /// Gives a call another refresh: its token was accepted, and the call lasts long enough for it to
  /// expire.
  func renewRefresh() { budget.withLock { $0.renewRefresh() } }

  /// Takes the one refresh of a call.
  ///
  /// Returns false if it was already taken.
  func takeRefresh() -> Bool { budget.withLock { $0.takeRefresh() } }
}
