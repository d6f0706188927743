import Foundation
import Streams

/// A grant that requests access tokens for the client itself, without a user (RFC 6749 §4.4).
///
/// Nobody signs in. The session requests its first token when the first call needs it, and all
/// waiting calls share it. It requests the next token when that one has expired.
public struct ClientCredentialsGrant: TokenGrant {
  public let requiresSignIn = false
  private let client: OAuthClient
  private let scope: String?

  /// - Parameters:
  ///   - client: The client that requests the tokens. It needs a means of authentication.
  ///   - scope: The scope of the tokens, or nil for the server's default.
  public init(_ client: OAuthClient, scope: String? = nil) {
    self.client = client
    self.scope = scope
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    // The response should not contain a refresh token (§4.4.3). If it does, the token has no use.
    client.token(.grant("client_credentials", [("scope", scope)]))
      .map { response in
        var response = response
        response.refreshToken = nil
        return response
      }
      .eraseToAnyPublisher()
  }
}

/// A grant that requests access tokens with a refresh token (RFC 6749 §6).
///
/// A refresh token in the response replaces the old one (rotation, RFC 9700 §4.14.2). Without one,
/// the old refresh token remains valid.
public struct RefreshTokenGrant: TokenGrant {
  private let client: OAuthClient
  private let scope: String?
  private let finalRefusals: RefusalRule?

  /// - Parameters:
  ///   - client: The client that requests the tokens.
  ///   - scope: The scope of new tokens, a part of the scope that the user granted, or nil for all
  ///     of it.
  ///   - finalRefusals: A rule for the responses that end the session because the refresh token is
  ///     dead, for a server that says so in a way of its own. It adds to those that
  ///     ``GrantError/init(_:)`` calls permanent.
  public init(_ client: OAuthClient, scope: String? = nil, finalRefusals: RefusalRule? = nil) {
    self.client = client
    self.scope = scope
    self.finalRefusals = finalRefusals
  }

  /// Requests a token.
  ///
  /// Without a refresh token, it sends nothing and fails permanently.
  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    guard let refreshToken = credential?.refreshToken, !refreshToken.isEmpty else {
      return Fail(error: GrantError(RefreshError.noRefreshToken)).eraseToAnyPublisher()
    }
    return client.token(
      .grant("refresh_token", [("refresh_token", refreshToken), ("scope", scope)]),
      finalRefusals: finalRefusals)
  }
}
