/// What is still to be told to those who watch a session, in order.
struct SessionNotices: Sendable {
  enum Notice: Sendable {
    case state(TokenSession.State)
    case signOut(TokenSession.SignOutCause)
    /// Nobody asks any more as who was signed in.
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

  /// Whether somebody may be signed in: false only where it was told that nobody is.
  var mayBeSignedIn: Bool { lastState != .signedOut && lastState != .expired }

  /// Begins to deliver, unless somebody does.
  mutating func begin() -> Bool {
    guard !isDelivering, !waiting.isEmpty else { return false }
    isDelivering = true
    return true
  }

  /// The next notice for who delivers; nil ends that.
  mutating func next() -> Notice? {
    guard !waiting.isEmpty else {
      isDelivering = false
      return nil
    }
    return waiting.removeFirst()
  }
}
