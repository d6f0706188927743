/// Why there is no token although no request failed: the cause in a ``GrantError`` or a
/// ``TokenSessionError``, where an error of a request would stand else.
public enum RefreshError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no refresh token to send; nothing was sent.
  case noRefreshToken
  /// The answer holds an empty access token; nothing was stored.
  case emptyAccessToken
  /// The refresh ended without an answer; nothing was stored.
  case noAnswer

  public var description: String {
    switch self {
    case .noRefreshToken:
      "There is no refresh token to send. Sign in again."
    case .emptyAccessToken:
      "The refresh answered with an empty access token. Look into the identity server's log."
    case .noAnswer:
      "The refresh ended without an answer. Let the grant give a token or fail."
    }
  }
}
