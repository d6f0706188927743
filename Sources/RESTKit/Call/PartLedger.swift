import Streams

/// What a retry or a session has to know of its part of a call: written where requests are made and sent,
/// upstream of it.
final class PartLedger: Sendable {
  private struct State: Sendable {
    var sent = SentRequests()
    /// How many requests, redirects and what parts within it sent again left out: since it began anew, and
    /// the most before that.
    var count = 0
    var earlierCount = 0
    /// Why it was begun anew.
    var cause: CallCause?

    /// - Returns: Why the request comes again; nil where the part has not come as far before.
    mutating func countRequest() -> CallCause? {
      count += 1
      return count <= earlierCount ? cause : nil
    }
  }

  let part: RepeatedPart
  private let outer: PartLedger?
  private let ownKeyMaker: IdempotencyKeyMaker?
  private let state = Lock(State())

  /// - Parameters:
  ///   - outer: That of the part that this one belongs to, if it does.
  ///   - keyMaker: What makes keys for requests that have none, if anything.
  init(within outer: PartLedger? = nil, keyMaker: IdempotencyKeyMaker? = nil) {
    part = RepeatedPart(of: outer?.part)
    self.outer = outer
    ownKeyMaker = keyMaker
  }

  /// What makes a key for a request that has none; nil where it needs none.
  func keyMaker(for method: HTTPMethod) -> (@Sendable () -> String)? {
    var next: PartLedger? = self
    while let ledger = next {
      if let maker = ledger.ownKeyMaker {
        return maker.exceptions.contains(method) ? nil : maker.make
      }
      next = ledger.outer
    }
    return nil
  }

  /// What the part has sent since it began, redirects included.
  var sentRequests: SentRequests { state.withLock { $0.sent } }

  /// Notes what is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it.
  /// - Returns: Why it comes again, by the innermost part that was as far before; nil where none was.
  func note(_ request: SentRequest, isRedirected: Bool = false) -> CallCause? {
    var repetition: CallCause?
    var next: PartLedger? = self
    while let ledger = next {
      let isCounted = !isRedirected && repetition == nil
      // To release a user's body may call the user.
      let (released, cause) = ledger.state.withLock { state in
        (state.sent.add(request), isCounted ? state.countRequest() : nil)
      }
      withExtendedLifetime(released) {}
      repetition = repetition ?? cause
      next = ledger.outer
    }
    return repetition
  }

  /// Notes that the requests of the part come once more, from its first one on.
  func noteRepetition(cause: CallCause) {
    state.withLock { state in
      state.earlierCount = max(state.earlierCount, state.count)
      state.count = 0
      state.cause = cause
    }
  }

  /// Notes that the part begins anew, with nothing sent.
  func begin() {
    let released = state.withLock { state in
      defer { state.sent = SentRequests() }
      return state.sent
    }
    withExtendedLifetime(released) {}
  }
}

/// What makes an `Idempotency-Key` for requests that have none.
struct IdempotencyKeyMaker: Sendable {
  let make: @Sendable () -> String
  /// The methods that need none.
  let exceptions: Set<HTTPMethod>
}
