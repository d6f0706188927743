import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The call that a request belongs to, with its innermost scope.
struct ScopedCall: Sendable {
  enum Key: SubscriptionContextKey {
    static var defaultValue: ScopedCall? { nil }
  }

  let call: LogicalCall
  /// The scope; nil if nothing is sent again.
  let scope: CallScope?

  init(of call: LogicalCall, scope: CallScope? = nil) {
    self.call = call
    self.scope = scope
  }

  var journal: CallJournal { call.journal }

  /// Records that the last request was not sent, and is no attempt.
  func takeBackAttempt() {
    call.uncountAttempts(1)
    scope?.takeBackAttempt()
  }

  /// Counts and records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - request: The entry for the scopes; nil if none keeps it.
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - isJoined: Whether another call's exchange answers the request.
  @discardableResult
  func beginExchange(
    _ request: SentRequest?, isRedirected: Bool, isJoined: Bool = false
  ) -> LogicalCall.Sending {
    let repetition = scope?.note(request, isRedirected: isRedirected)
    return call.beginExchange(
      isRedirected: isRedirected, isJoined: isJoined, repetition: repetition)
  }

  /// Gives a repeated request its former key, and a new request a key if a retry policy makes one.
  ///
  /// - Parameter body: The body that is sent outside the request; nil for the request's own.
  func prepare(_ request: inout URLRequest, body: RequestBody?) {
    defer { journal.recordBuilt(request) }
    // A GET or HEAD needs no key, because sending it twice is safe.
    guard let scope, let method = request.httpMethod, method != "GET", method != "HEAD" else {
      return
    }
    let summary = RequestSummary(request)
    let own = request.value(forHTTPHeaderField: IdempotencyKeys.field)
    let digest = BodyDigest(of: request, body: body)
    if let key = call.key(of: summary, body: digest, own: own, in: scope), key != own {
      request.replaceHeader(IdempotencyKeys.field, with: key)
    }
  }
}

extension SubscriptionContext {
  /// The call of a subscription; nil if there is none downstream.
  var call: LogicalCall? { self[ScopedCall.Key.self]?.call }

  /// Begins a scope of a call, within the scope of this context.
  ///
  /// - Parameters:
  ///   - keyMaker: The maker of keys for requests without one, if there is one.
  ///   - keepsRequests: Whether the scope is asked for the requests that it has sent, and for their
  ///     user.
  /// - Returns: The scope, and the context for everything upstream.
  func beginningScope(
    of call: LogicalCall, keyMaker: IdempotencyKeyMaker? = nil, keepsRequests: Bool = true
  ) -> (scope: CallScope, context: SubscriptionContext) {
    let scope = CallScope(
      of: call, within: self[ScopedCall.Key.self]?.scope, keyMaker: keyMaker,
      keepsRequests: keepsRequests)
    return (scope, setting(ScopedCall.Key.self, to: ScopedCall(of: call, scope: scope)))
  }
}

/// What a retry begins again, or what is sent once more after a refresh, with a record of what it
/// has sent.
///
/// A retry makes a scope for each subscription. So does a stage that sends a request once more
/// after a refresh. Scopes of one call may run concurrently and inside each other. A repetition of
/// one scope does not affect its siblings. The stages upstream, which make and send requests, write
/// the record.
final class CallScope: Sendable {
  private struct State: Sendable {
    var sent = SentRequests()
    /// The number of `sent`, without redirects.
    var attempts = 0
    /// The number of requests since the latest beginning of the scope.
    ///
    /// Redirects do not count, nor do the requests that an inner scope repeats.
    var count = 0
    /// The maximum of `count` before the latest beginning.
    var earlierCount = 0
    /// The cause of the latest beginning; nil for the first one.
    var cause: CallCause?
    /// The first user as whom the scope sent a request.
    var user: SignInSpan?

    /// Counts a request.
    ///
    /// - Returns: The cause of the repetition; nil if the scope has not come as far before.
    mutating func countRequest() -> CallCause? {
      count += 1
      return count <= earlierCount ? cause : nil
    }
  }

  // The call stores it for each request that must not run twice: an object would keep bodies for as
  // long.
  private let number: Int
  private let outer: CallScope?
  private let ownKeyMaker: IdempotencyKeyMaker?
  /// Whether the scope, or one around it, keeps the requests that it has sent.
  ///
  /// Nobody asks a session's scope for them, and most calls have no other.
  let keepsRequests: Bool
  private let state = Lock(State())

  /// - Parameters:
  ///   - call: The call.
  ///   - outer: The enclosing scope, if there is one.
  ///   - keyMaker: The maker of keys for requests without one, if there is one.
  ///   - keepsRequests: Whether the scope is asked for the requests that it has sent, and for their
  ///     user.
  init(
    of call: LogicalCall, within outer: CallScope? = nil, keyMaker: IdempotencyKeyMaker? = nil,
    keepsRequests: Bool = true
  ) {
    number = call.takeScopeNumber()
    self.keepsRequests = keepsRequests || outer?.keepsRequests == true
    self.outer = outer
    ownKeyMaker = keyMaker
  }

  /// The numbers of the scope and those around it, innermost first.
  ///
  /// A number is unique in the call.
  var numbers: [Int] {
    var numbers: [Int] = []
    var next: CallScope? = self
    while let scope = next {
      numbers.append(scope.number)
      next = scope.outer
    }
    return numbers
  }

  /// Returns the maker of a key for a request without one; nil if the method needs none.
  func keyMaker(for method: HTTPMethod) -> (@Sendable () -> String)? {
    var next: CallScope? = self
    while let scope = next {
      if let maker = scope.ownKeyMaker {
        return maker.exceptions.contains(method) ? nil : maker.make
      }
      next = scope.outer
    }
    return nil
  }

  /// The requests that the scope has sent since it began, including redirects.
  var sentRequests: SentRequests { state.withLock { $0.sent } }

  /// The number of requests that the scope has sent since it began, without redirects.
  var attempts: Int { state.withLock { $0.attempts } }

  /// Records a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - request: The request; nil if no scope keeps it.
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  /// - Returns: The cause of the repetition, by the innermost scope that had come as far before;
  ///   nil if there is no such scope.
  func note(_ request: SentRequest?, isRedirected: Bool = false) -> CallCause? {
    var repetition: CallCause?
    var next: CallScope? = self
    while let scope = next {
      let isCounted = !isRedirected && repetition == nil
      // Releasing a user's body may run the user's code.
      let (released, cause) = scope.state.withLock { state in
        if !isRedirected { state.attempts += 1 }
        let released = request.flatMap { state.sent.add($0) }
        return (released, isCounted ? state.countRequest() : nil)
      }
      withExtendedLifetime(released) {}
      repetition = repetition ?? cause
      next = scope.outer
    }
    return repetition
  }

  /// The first user as whom the scope sent a request; nil if no session authorized one.
  var user: SignInSpan? { state.withLock { $0.user } }

  /// Records the user as whom a request is sent, in this scope and those around it.
  func note(_ user: SignInSpan) {
    guard keepsRequests else { return }
    var next: CallScope? = self
    while let scope = next {
      scope.state.withLock { state in
        if state.user == nil { state.user = user }
      }
      next = scope.outer
    }
  }

  /// Records that the last request was not sent, in this scope and those around it.
  func takeBackAttempt() {
    var next: CallScope? = self
    while let scope = next {
      scope.state.withLock { $0.attempts -= 1 }
      next = scope.outer
    }
  }

  /// Records that the scope repeats its requests, beginning with the first.
  func noteRepetition(cause: CallCause) {
    state.withLock { state in
      state.earlierCount = max(state.earlierCount, state.count)
      state.count = 0
      state.cause = cause
    }
  }

  /// Records that the scope begins again, with nothing sent.
  func begin() {
    let released = state.withLock { state in
      defer { (state.sent, state.attempts) = (SentRequests(), 0) }
      return state.sent
    }
    withExtendedLifetime(released) {}
  }
}

/// A maker of an `Idempotency-Key` for requests without one.
struct IdempotencyKeyMaker: Sendable {
  let make: @Sendable () -> String
  /// The methods that need no key.
  let exceptions: Set<HTTPMethod>
}
