import Streams
import Synchronization

/// One subscription to a pipeline: the state that its retries, refreshes and redirects share, and a
/// journal.
///
/// The outermost of them makes the call and puts it into the subscription's context for everything
/// upstream. So each request is counted once, whichever stage sends it again.
final class LogicalCall: Sendable {
  typealias Identity = AnyObject & Sendable

  /// A request that is sent.
  struct Sending {
    /// The number of the attempt, from 1.
    let attempt: Int
    let cause: CallCause
    /// The number of requests sent again since the last one that was sent for the first time,
    /// including this one.
    let resends: Int
  }

  /// The user as whom the call is sent, of one session.
  ///
  /// The session is its ``SessionTag``, and the user the ``SignInSpan``. A call may
  /// have requests under several sessions, and is sent as one user of each.
  private struct SessionUser: Sendable {
    let session: any Identity
    let user: any Identity
  }

  private struct State: Sendable {
    var attempts = 0
    /// The number of attempts that do not count for a policy's limit.
    var uncountedAttempts = 0
    /// The number of requests sent again since the last one that was sent for the first time,
    /// including redirects.
    var resends = 0
    /// The cause of the last request, including redirects; nil before the first.
    var lastCause: CallCause?
    var keys = IdempotencyKeys()
    var hasRefreshed = false
    var refreshPause = Duration.zero
    var user: SessionUser?
    var furtherUsers: [SessionUser] = []
  }

  /// The journal, which records events.
  ///
  /// The state makes the decisions.
  let journal: CallJournal
  private let state = Lock(State())
  private let scopes = Atomic(0)
  /// The record of the calls under the deadline of this call; nil without a deadline.
  private let deadline: DeadlineRecord?

  /// - Parameters:
  ///   - clock: The clock of the call; nil to leave the choice to an observer.
  ///   - deadline: The record of the deadline that may end the call; nil without one.
  ///   - context: The context of the subscriber to the pipeline.
  init(
    on clock: CallClock?, under deadline: DeadlineRecord? = nil,
    in context: SubscriptionContext = SubscriptionContext()
  ) {
    journal = CallJournal(clock: clock, in: context)
    self.deadline = deadline
    deadline?.note(journal, hasSent: false)
  }

  convenience init(
    clock: (any Scheduler)? = nil, under deadline: DeadlineRecord? = nil,
    in context: SubscriptionContext = SubscriptionContext()
  ) {
    self.init(on: clock.map(CallClock.init), under: deadline, in: context)
  }

  /// The time since the call began; zero without a clock.
  var elapsed: Duration { journal.elapsed }

  // MARK: Requests

  /// The number of attempts.
  ///
  /// Redirects do not count.
  var attempts: Int { state.withLock { $0.attempts } }

  /// The number of attempts that count for a policy's limit.
  var countedAttempts: Int { state.withLock { $0.attempts - $0.uncountedAttempts } }

  /// Records that a number of attempts do not count for a policy's limit.
  func uncountAttempts(_ number: Int) { state.withLock { $0.uncountedAttempts += number } }

  /// The attempt and cause of the last request, including redirects; nil before the first.
  var lastSending: (attempt: Int, cause: CallCause)? {
    state.withLock { state in state.lastCause.map { (state.attempts, $0) } }
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - isJoined: Whether another call's exchange answers the request.
  ///   - repetition: The cause of the repetition, or nil if no scope repeats the request.
  @discardableResult
  func beginExchange(
    isRedirected: Bool, isJoined: Bool = false, repetition: CallCause? = nil
  ) -> Sending {
    let cause = isRedirected ? .redirect : repetition ?? .first
    let sending = state.withLock { state in
      if !isRedirected { state.attempts += 1 }
      // A further page, for example, is another request.
      state.resends = cause == .first ? 0 : state.resends + 1
      state.lastCause = cause
      return Sending(attempt: state.attempts, cause: cause, resends: state.resends)
    }
    deadline?.note(journal, hasSent: true)
    journal.recordSent(attempt: sending.attempt, cause: cause, isJoined: isJoined)
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

  // MARK: Scopes

  /// Returns a number for a scope, unique in the call.
  func takeScopeNumber() -> Int { scopes.add(1, ordering: .relaxed).newValue }

  /// Records that the requests of a scope are repeated, after a refresh with a new credential or by
  /// a retry.
  func beginRepetition(of scope: CallScope, cause: CallCause) {
    scope.noteRepetition(cause: cause)
    let scopes = scope.numbers
    state.withLock { $0.keys.repeatRequests(of: scopes) }
  }

  /// Returns the key of a request that must not run twice: the key of its first sending, or a new
  /// one.
  ///
  /// - Parameters:
  ///   - body: The digest of its body.
  ///   - own: The key from the user, if there is one.
  func key(
    of request: RequestSummary, body: BodyDigest, own: String?, in scope: CallScope
  ) -> String? {
    let scopes = scope.numbers
    let (place, key) = state.withLock { $0.keys.take(request, body: body, key: own, in: scopes) }
    if let key { return key }
    guard let made = scope.keyMaker(for: request.method)?() else { return nil }
    state.withLock { $0.keys.note(made, at: place) }
    return made
  }

  // MARK: Sessions

  /// Whether the call may be sent as a user of a session.
  ///
  /// It may not if it was sent as another user of that session.
  func admits(_ user: any Identity, of session: any Identity) -> Bool {
    state.withLock { state in
      guard let first = state.user else {
        state.user = SessionUser(session: session, user: user)
        return true
      }
      if first.session === session { return first.user === user }
      if let known = state.furtherUsers.first(where: { $0.session === session }) {
        return known.user === user
      }
      state.furtherUsers.append(SessionUser(session: session, user: user))
      return true
    }
  }

  /// Binds the call to the users of a call that it goes on.
  func keepUsers(of other: LogicalCall) {
    guard other !== self else { return }
    let users = other.state.withLock { ($0.user, $0.furtherUsers) }
    state.withLock { ($0.user, $0.furtherUsers) = users }
  }

  /// Whether the call has used its refresh.
  var hasRefreshed: Bool { state.withLock { $0.hasRefreshed } }

  /// The pause in which its session did not renew the token when it last asked for one; zero if
  /// there was none.
  var refreshPause: Duration { state.withLock { $0.refreshPause } }

  /// Records the pause of the session's refreshes after one that failed for now.
  func noteRefreshPause(_ pause: Duration) { state.withLock { $0.refreshPause = pause } }

  /// Takes the one refresh of the call.
  ///
  /// Returns false if it was already taken.
  func takeRefresh() -> Bool {
    state.withLock { state in
      defer { state.hasRefreshed = true }
      return !state.hasRefreshed
    }
  }

  /// Gives the call another refresh: its token was accepted, and the call lasts long enough for it
  /// to expire.
  func renewRefresh() { state.withLock { $0.hasRefreshed = false } }
}
