import Streams

/// What a retry or a session has to know of its part of a call: written where requests are made and sent,
/// upstream of it.
final class PartLedger: Sendable {
  let part: RepeatedPart
  private let outer: PartLedger?
  private let ownKeyMaker: IdempotencyKeyMaker?
  private let sent = Lock(SentRequests())

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
  var sentRequests: SentRequests { sent.withLock { $0 } }

  /// Notes what is about to be sent.
  func note(_ request: SentRequest) {
    var next: PartLedger? = self
    while let ledger = next {
      // To release a user's body may call the user.
      let released = ledger.sent.withLock { $0.add(request) }
      withExtendedLifetime(released) {}
      next = ledger.outer
    }
  }

  /// Notes that the part begins anew, with nothing sent.
  func begin() {
    let released = sent.withLock { sent in
      defer { sent = SentRequests() }
      return sent
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
