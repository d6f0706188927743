/// Why a refresh brought no access token, where RESTKit has no other error for it.
public enum RefreshError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no refresh token to send; nothing was sent.
  case noRefreshToken
  /// The answer holds an empty access token; nothing was stored.
  case emptyAccessToken
  /// Somebody signed in or out while the refresh ran; its result was thrown away.
  case credentialChanged

  public var description: String {
    switch self {
    case .noRefreshToken:
      "There is no refresh token to send. Sign in again."
    case .emptyAccessToken:
      "The refresh answered with an empty access token. Look into the identity server's log."
    case .credentialChanged:
      "Somebody signed in or out while the refresh ran. Start the call again."
    }
  }
}
