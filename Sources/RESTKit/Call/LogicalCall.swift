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

  /// - Parameter clock: What times the call; nil where that is for who observes it to say.
  init(clock: (any Scheduler)? = nil) {
    journal = CallJournal(clock: clock)
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
  func beginRepetition(of part: RepeatedPart, cause: CallCause) {
    budget.withLock { budget in
      budget.nextCause = cause
      budget.keys.repeatRequests(of: part)
    }
  }

  /// Takes the place of a request of a part among those that must not run twice, with the key that it
  /// went out with before, if it comes once more.
  func takePlace(of request: RequestSummary, in part: RepeatedPart) -> (place: Int, key: String?) {
    budget.withLock { $0.keys.takePlace(of: request, in: part) }
  }

  /// Notes the key that a request of a part goes out with.
  func note(_ key: String?, of request: RequestSummary, at place: Int, in part: RepeatedPart) {
    budget.withLock { $0.keys.add(key, for: request, at: place, in: part) }
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  func beginExchange(isRedirected: Bool) {
    let (attempt, cause) = budget.withLock { $0.beginExchange(isRedirected: isRedirected) }
    journal.recordSent(attempt: attempt, cause: cause)
  }

  /// Whether the call may be sent as a member of a group: it has not been sent as another one of it.
  func admits(_ member: any CallBudget.Party, of group: any CallBudget.Party) -> Bool {
    budget.withLock { $0.admits(member, of: group) }
  }

  /// Whether the refresh that a call has was taken.
  var hasRefreshed: Bool { budget.withLock { $0.hasRefreshed } }

  /// Takes the one refresh that a call has; false if it was taken.
  func takeRefresh() -> Bool { budget.withLock { $0.takeRefresh() } }
}
