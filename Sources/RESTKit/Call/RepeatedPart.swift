import Streams

/// The part of a pipeline that a retry begins anew, or a refresh sends once more.
///
/// Each subscription to such a stage makes one. Parts of one call may run side by side, and within each
/// other: what one has sent, and what it sends again, is nothing of its sibling.
final class RepeatedPart: Sendable {
  private let outer: RepeatedPart?
  private let ownKeyMaker: IdempotencyKeyMaker?
  private let sent = Lock(SentRequests())

  /// - Parameters:
  ///   - outer: The part that this one belongs to, if it does.
  ///   - keyMaker: What makes keys for requests that have none, if anything.
  init(of outer: RepeatedPart? = nil, keyMaker: IdempotencyKeyMaker? = nil) {
    self.outer = outer
    ownKeyMaker = keyMaker
  }

  /// Whether a part is this one or within it.
  func contains(_ part: RepeatedPart) -> Bool {
    var next: RepeatedPart? = part
    while let part = next {
      if part === self { return true }
      next = part.outer
    }
    return false
  }

  /// What makes a key for a request of this part that has none; nil where it needs none.
  func keyMaker(for method: HTTPMethod) -> (@Sendable () -> String)? {
    var next: RepeatedPart? = self
    while let part = next {
      if let maker = part.ownKeyMaker {
        return maker.exceptions.contains(method) ? nil : maker.make
      }
      next = part.outer
    }
    return nil
  }

  /// What it has sent since it began, redirects included.
  var sentRequests: SentRequests { sent.withLock { $0 } }

  /// Notes what is about to be sent.
  func note(_ request: SentRequest) {
    var next: RepeatedPart? = self
    while let part = next {
      // To release a user's body may call the user.
      let released = part.sent.withLock { $0.add(request) }
      withExtendedLifetime(released) {}
      next = part.outer
    }
  }

  /// Notes that it begins anew, with nothing sent.
  func begin() {
    let released = sent.withLock { sent in
      defer { sent = SentRequests() }
      return sent
    }
    withExtendedLifetime(released) {}
  }
}

/// What makes an `Idempotency-Key` for the requests of a part.
struct IdempotencyKeyMaker: Sendable {
  let make: @Sendable () -> String
  /// The methods that need none.
  let exceptions: Set<HTTPMethod>
}
