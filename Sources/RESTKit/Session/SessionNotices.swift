/// The pending notifications for a session's observers, in order.
struct SessionNotices: Sendable {
  enum Notice: Sendable {
    case state(TokenSession.State)
    case signOut(TokenSession.SignOutCause)
    /// The span of a user is over: no request runs for that user any more.
    case over(SignInSpan)
  }

  private var waiting: [Notice] = []
  private var lastState: TokenSession.State?
  private var isDelivering = false

  mutating func append(_ state: TokenSession.State) {
    guard state != lastState else { return }
    lastState = state
    waiting.append(.state(state))
  }

  mutating func append(_ cause: TokenSession.SignOutCause) {
    waiting.append(.signOut(cause))
  }

  mutating func append(_ span: SignInSpan) {
    waiting.append(.over(span))
  }

  /// Whether a user may be signed in.
  ///
  /// It is false only after a notice that no user is.
  var mayBeSignedIn: Bool { lastState != .signedOut && lastState != .expired }

  /// Begins to deliver, unless another thread already does.
  mutating func begin() -> Bool {
    guard !isDelivering, !waiting.isEmpty else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next notice to deliver; nil ends the delivery.
  mutating func next() -> Notice? {
    guard !waiting.isEmpty else {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }
}
