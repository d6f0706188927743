import Streams
import Synchronization

/// What the calls under a deadline have done until it comes: each call has a budget and a journal of its own.
final class DeadlineRecord: Sendable {
  /// In the context of a verb: the deadline that its call ends at, with what is known of the calls before.
  enum Key: SubscriptionContextKey {
    static var defaultValue: DeadlineRecord? { nil }
  }

  private struct State: Sendable {
    /// That of the call that began, or sent a request, last.
    var journal: CallJournal?
    /// Whether a call has sent a request.
    var hasSent = false
  }

  let deadline: CallDeadline
  /// The call that the whole pipeline is part of, such as a retry behind the deadline; nil where there is none.
  private let call: LogicalCall?
  /// That of a later deadline around this one.
  private let outer: DeadlineRecord?
  private let isOver = Atomic<Bool>(false)
  private let state = Lock(State())

  /// - Parameter context: That of the subscriber.
  init(of deadline: CallDeadline, in context: SubscriptionContext) {
    self.deadline = deadline
    call = context.call
    outer = context[Key.self]
  }

  /// Notes that the deadline has come: a call that is cancelled from now on was ended by it.
  func end() { isOver.store(true, ordering: .relaxed) }

  /// Notes that a call begins, or that it sends a request.
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

  /// Why a call that was cancelled has ended; nil unless the deadline ended it.
  func failure(ofCallWith journal: CallJournal) -> RESTError? {
    guard isOver.load(ordering: .relaxed) else { return outer?.failure(ofCallWith: journal) }
    return RESTError(
      CallDeadlineError(mayHaveBeenProcessed: journal.attempts > 0), request: journal.request)
  }

  /// What the pipeline fails with, to be asked for once its calls are cancelled: what they sent is known then.
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
