import Foundation
import Streams

/// Buys access tokens for the client itself, on behalf of nobody (RFC 6749 §4.4).
///
/// Nobody signs in: the session buys its first token when the first call needs it, one for all calls
/// that wait, and the next when that one has expired.
public struct ClientCredentialsGrant: TokenGrant {
  public let requiresSignIn = false
  private let client: OAuthClient
  private let scope: String?

  /// - Parameters:
  ///   - client: Who asks. One without a secret gets nothing.
  ///   - scope: What the tokens may be used for; nil for what the server gives by itself.
  public init(_ client: OAuthClient, scope: String? = nil) {
    self.client = client
    self.scope = scope
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    // A refresh token should not come here (§4.4.3), and would be of no use.
    client.token(.grant("client_credentials", [("scope", scope)]))
      .map { response in
        var response = response
        response.refreshToken = nil
        return response
      }
      .eraseToAnyPublisher()
  }
}
