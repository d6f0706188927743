import Streams
import Synchronization

/// The record of one part of a call for its retry or session.
///
/// The stages upstream, which make and send requests, write it.
final class PartLedger: Sendable {
  let part: RepeatedPart
  private let outer: PartLedger?
  private let ownKeyMaker: IdempotencyKeyMaker?
  private let sent = Lock(SentRequests())
  private let ownAttempts = Atomic<Int>(0)

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
  var sentRequests: SentRequests { sent.withLock { $0 } }

  /// The number of attempts in the outermost part around this one.
  ///
  /// Redirects do not count, nor do the attempts of other parts of the call.
  var attempts: Int {
    var outermost = self
    while let outer = outermost.outer { outermost = outer }
    return outermost.ownAttempts.load(ordering: .relaxed)
  }

  /// Records a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  func note(_ request: SentRequest, isRedirected: Bool = false) {
    var next: PartLedger? = self
    while let ledger = next {
      if !isRedirected { ledger.ownAttempts.add(1, ordering: .relaxed) }
      // Releasing a user's body may run the user's code.
      let released = ledger.sent.withLock { $0.add(request) }
      withExtendedLifetime(released) {}
      next = ledger.outer
    }
  }

  /// Records that the part begins again, with nothing sent.
  func begin() {
    let released = sent.withLock { sent in
      defer { sent = SentRequests() }
      return sent
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
