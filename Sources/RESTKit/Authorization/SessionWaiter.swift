import Streams

/// A call that waits for a credential.
struct SessionWaiter: Sendable {
  typealias Outcome = Result<IssuedCredential, TokenSessionError>

  /// The number of its place in the line.
  let id: Int
  /// What was refused; nil for a call whose request has not been sent.
  let refused: IssuedCredential?
  /// Lets the call go on or fail.
  let resume: @Sendable (Outcome) -> Void
}

/// The calls that wait, first come, first served.
struct WaitingLine: Sendable {
  private var waiters: [Int: SessionWaiter] = [:]

  var count: Int { waiters.count }

  /// Whether somebody waits for another credential than this one.
  func holdsRefusal(of credential: IssuedCredential) -> Bool {
    waiters.values.contains { $0.refused === credential }
  }

  mutating func append(_ waiter: SessionWaiter) {
    waiters[waiter.id] = waiter
  }

  /// - Returns: The waiter, so that it is released where no lock is held.
  mutating func remove(_ id: Int) -> SessionWaiter? {
    waiters.removeValue(forKey: id)
  }

  mutating func takeAll() -> [SessionWaiter] {
    defer { waiters = [:] }
    return waiters.values.sorted { $0.id < $1.id }
  }
}
