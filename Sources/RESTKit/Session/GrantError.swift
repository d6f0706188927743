/// Why a grant has no token, and what its session is to do about it; ``TokenSessionError`` is what calls
/// hear then.
public enum GrantError: Error, Sendable {
  /// The server will never renew this credential: the session is over, and the user has to sign in.
  case permanent(any Error)
  /// Nothing is said about the credential: the session is kept, and a later call tries again.
  ///
  /// - Parameter retryAfter: How long the server asks to wait; nil where it does not say.
  case transient(any Error, retryAfter: Duration? = nil)
  /// The request may have been acted on, and its answer is lost: it is sent once more with the same
  /// refresh token, and after that the failure is a transient one.
  case answerLost(any Error)

  /// What went wrong.
  public var cause: any Error {
    switch self {
    case .permanent(let cause), .transient(let cause, _), .answerLost(let cause): cause
    }
  }
}

extension GrantError: CustomStringConvertible {
  public var description: String { "\(cause)" }
}
