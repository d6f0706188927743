/// The reason why a grant brought no token, and how its session continues.
///
/// Calls fail with the corresponding ``TokenSessionError``.
public enum GrantError: Error, Sendable {
  /// The server will never renew this credential. The session is over, and the user has to sign in.
  case permanent(any Error)
  /// The failure tells nothing about the credential. The session remains, and a later call tries again.
  ///
  /// - Parameter retryAfter: The wait that the server asks for, or nil if it asks for none.
  case transient(any Error, retryAfter: Duration? = nil)
  /// The server may have processed the request, and its response is lost. The session sends the request once
  /// more with the same refresh token. A second loss counts as a transient failure.
  case answerLost(any Error)

  /// The underlying error.
  public var cause: any Error {
    switch self {
    case .permanent(let cause), .transient(let cause, _), .answerLost(let cause): cause
    }
  }
}

extension GrantError: CustomStringConvertible {
  public var description: String { "\(cause)" }
}
