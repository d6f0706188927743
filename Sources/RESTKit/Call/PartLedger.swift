import Streams

/// The record of one part of a call for its retry or session.
///
/// The stages upstream, which make and send requests, write it.
final class PartLedger: Sendable {
  let part: RepeatedPart
  private let outer: PartLedger?
  private let ownKeyMaker: IdempotencyKeyMaker?
  private let sent = Lock(SentRequests())

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

  /// Records a request that is about to be sent.
  func note(_ request: SentRequest) {
    var next: PartLedger? = self
    while let ledger = next {
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
