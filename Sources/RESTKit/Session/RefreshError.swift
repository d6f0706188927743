/// The reason why there is no token although no request failed.
///
/// It is the cause in a ``GrantError`` or a ``TokenSessionError``, in place of a request's error.
public enum RefreshError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no refresh token to send. Nothing was sent.
  case noRefreshToken
  /// The response contains an empty access token. Nothing was stored.
  case emptyAccessToken
  /// The refresh ended without a response. Nothing was stored.
  case noAnswer

  public var description: String {
    switch self {
    case .noRefreshToken:
      "There is no refresh token to send. Sign in again."
    case .emptyAccessToken:
      "The token response has an empty access token. Check the identity server's log."
    case .noAnswer:
      "The refresh ended without a token. The grant must deliver a token or fail."
    }
  }
}
