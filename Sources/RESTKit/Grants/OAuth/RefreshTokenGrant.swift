import Foundation
import Streams

/// Buys access tokens with a refresh token (RFC 6749 §6).
///
/// A refresh token in the answer takes the place of the old one (rotation, RFC 9700 §4.14.2); without
/// one the old one stays.
public struct RefreshTokenGrant: TokenGrant {
  private let client: OAuthClient
  private let scope: String?

  /// - Parameters:
  ///   - client: Who asks.
  ///   - scope: What new tokens may be used for, less than the user granted; nil for all of that.
  public init(_ client: OAuthClient, scope: String? = nil) {
    self.client = client
    self.scope = scope
  }

  /// Asks for a token; fails for good, and sends nothing, where there is no refresh token.
  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    guard let refreshToken = credential?.refreshToken, !refreshToken.isEmpty else {
      return Fail(error: GrantError(RefreshError.noRefreshToken)).eraseToAnyPublisher()
    }
    return client.token(
      .grant("refresh_token", [("refresh_token", refreshToken), ("scope", scope)]))
  }
}
