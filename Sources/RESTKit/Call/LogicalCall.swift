import Streams

/// What the retries, refreshes and redirects of one pipeline share while it is subscribed to: a budget
/// and a journal.
///
/// The outermost of them makes it and gives it to everything upstream in the subscription's context;
/// so a request is counted once, whoever sends it again.
final class LogicalCall: Sendable {
  /// Where it is written down what happens; what is decided, the budget decides.
  let journal: CallJournal
  private let budget = Lock(CallBudget())
  /// Whether nobody repeats the pipeline as a whole: each retry in it counts for itself.
  let hasParts: Bool

  /// - Parameters:
  ///   - clock: What times the call; nil where that is for who observes it to say.
  ///   - context: That of the subscriber to its pipeline.
  ///   - hasParts: Whether nobody repeats the pipeline as a whole.
  init(
    clock: (any Scheduler)? = nil, in context: SubscriptionContext = SubscriptionContext(),
    hasParts: Bool = false
  ) {
    self.hasParts = hasParts
    journal = CallJournal(clock: clock, in: context)
  }

  /// The time since the call began; none where nobody says.
  var elapsed: Duration { journal.elapsed }

  /// How many times a request was sent: redirects are not counted.
  var attempts: Int { budget.withLock { $0.attempts } }

  /// Which attempt was sent last, redirects included, and why; nil before the first.
  var lastSending: (attempt: Int, cause: CallCause)? { budget.withLock { $0.lastSending } }

  /// Says why the next request will be sent; the first says it by itself.
  func prepareNext(cause: CallCause) {
    budget.withLock { $0.nextCause = cause }
  }

  /// Notes that the requests of a part come once more: since a refresh brought another credential, or
  /// since a retry begins it anew.
  func beginRepetition(of ledger: PartLedger, cause: CallCause) {
    ledger.noteRepetition(cause: cause)
    budget.withLock { $0.keys.repeatRequests(of: ledger.part) }
  }

  /// Notes that a request of a part goes out, which must not run twice.
  ///
  /// - Parameter own: The key that its user gave it, if there is one.
  /// - Returns: Its place among those, and the key that it goes out with, if that is known.
  func take(
    _ request: RequestSummary, key own: String?, in part: RepeatedPart
  ) -> (place: Int, key: String?) {
    budget.withLock { $0.keys.take(request, key: own, in: part) }
  }

  /// Notes the key that was made for the request at a place.
  func note(_ key: String, at place: Int) {
    budget.withLock { $0.keys.note(key, at: place) }
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - isRedirected: Whether a redirect led to it, which is no attempt of its own.
  ///   - isJoined: Whether another call's exchange answers it.
  ///   - repetition: Why it comes again; nil where no part says that it does.
  @discardableResult
  func beginExchange(
    isRedirected: Bool, isJoined: Bool = false, repetition: CallCause? = nil
  ) -> CallBudget.Sending {
    let sending = budget.withLock {
      $0.beginExchange(isRedirected: isRedirected, repetition: repetition)
    }
    journal.recordSent(attempt: sending.attempt, cause: sending.cause, isJoined: isJoined)
    return sending
  }

  /// Whether the call may be sent as a member of a group: it has not been sent as another one of it.
  func admits(_ member: any CallBudget.Party, of group: any CallBudget.Party) -> Bool {
    budget.withLock { $0.admits(member, of: group) }
  }

  /// Whether the refresh that a call has was taken.
  var hasRefreshed: Bool { budget.withLock { $0.hasRefreshed } }

  /// Gives a call another refresh: its token was taken, and it goes on for long enough to expire.
  func renewRefresh() { budget.withLock { $0.renewRefresh() } }

  /// Takes the one refresh that a call has; false if it was taken.
  func takeRefresh() -> Bool { budget.withLock { $0.takeRefresh() } }
}
