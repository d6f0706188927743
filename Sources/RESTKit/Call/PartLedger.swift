import Streams

/// The record of one part of a call for its retry or session.
///
/// The stages upstream, which make and send requests, write it.
final class PartLedger: Sendable {
  private struct State: Sendable {
    var sent = SentRequests()
    /// The number of requests since the latest beginning of the part.
    ///
    /// Redirects do not count, nor do the requests that an inner part repeats.
    var count = 0
    /// The maximum of `count` before the latest beginning.
    var earlierCount = 0
    /// The cause of the latest beginning; nil for the first one.
    var cause: CallCause?

    /// Counts a request.
    ///
    /// - Returns: The cause of the repetition; nil if the part has not come as far before.
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
  ///   - outer: The ledger of the enclosing part, if there is one.
  ///   - keyMaker: The maker of keys for requests without one, if there is one.
  init(within outer: PartLedger? = nil, keyMaker: IdempotencyKeyMaker? = nil) {
    part = RepeatedPart(of: outer?.part)
    self.outer = outer
    ownKeyMaker = keyMaker
  }

  /// Returns the maker of a key for a request without one; nil if the method needs none.
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

  /// The requests that the part has sent since it began, including redirects.
  var sentRequests: SentRequests { state.withLock { $0.sent } }

  /// Records a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  /// - Returns: The cause of the repetition, by the innermost part that had come as far before; nil if there
  ///   is no such part.
  func note(_ request: SentRequest, isRedirected: Bool = false) -> CallCause? {
    var repetition: CallCause?
    var next: PartLedger? = self
    while let ledger = next {
      let isCounted = !isRedirected && repetition == nil
      // Releasing a user's body may run the user's code.
      let (released, cause) = ledger.state.withLock { state in
        (state.sent.add(request), isCounted ? state.countRequest() : nil)
      }
      withExtendedLifetime(released) {}
      repetition = repetition ?? cause
      next = ledger.outer
    }
    return repetition
  }

  /// Records that the part repeats its requests, beginning with the first.
  func noteRepetition(cause: CallCause) {
    state.withLock { state in
      state.earlierCount = max(state.earlierCount, state.count)
      state.count = 0
      state.cause = cause
    }
  }

  /// Records that the part begins again, with nothing sent.
  func begin() {
    let released = state.withLock { state in
      defer { state.sent = SentRequests() }
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
