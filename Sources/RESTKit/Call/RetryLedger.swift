import Streams

/// What a retry has to know of its attempt: written where requests are made and sent, upstream of it.
final class RetryLedger: Sendable {
  private let keyMaker: IdempotencyKeyMaker?
  private let sent = Lock(SentRequests())

  /// - Parameter keyMaker: What makes keys for requests that have none, if anything.
  init(keyMaker: IdempotencyKeyMaker?) {
    self.keyMaker = keyMaker
  }

  /// What makes a key for a request that has none; nil where it needs none.
  func keyMaker(for method: HTTPMethod) -> (@Sendable () -> String)? {
    keyMaker.flatMap { $0.exceptions.contains(method) ? nil : $0.make }
  }

  /// What the attempt has sent, redirects included.
  var sentRequests: SentRequests { sent.withLock { $0 } }

  /// Notes what is about to be sent.
  func note(_ request: SentRequest) {
    // To release a user's body may call the user.
    let released = sent.withLock { $0.add(request) }
    withExtendedLifetime(released) {}
  }

  /// Notes that an attempt begins, with nothing sent.
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
