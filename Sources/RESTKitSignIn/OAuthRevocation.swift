import Foundation
import RESTKit
import Streams

/// A revocation of a user's tokens at the server that issued them (RFC 7009).
///
/// It revokes the refresh token first and then the access token. Servers should revoke the access
/// token with the refresh token (§2.1), but not all do. If the server cannot revoke access tokens
/// (`unsupported_token_type`, §2.2.1), this is not a failure once the refresh token is revoked. A
/// token that the server no longer knows counts as revoked.
///
/// The client authenticates as at the token endpoint. If the server's metadata names the methods of
/// its revocation endpoint (RFC 8414 §2), and the client's method is not among them, a client with
/// a secret sends the secret by the other method.
public struct OAuthRevocation: TokenRevocation {
  private let client: OAuthClient

  /// - Parameter client: The client of the tokens. Its server needs a `revocation_endpoint`.
  public init(_ client: OAuthClient) {
    self.client = client
  }

  /// - Errors: `SignInError.notSupported` for a server without the endpoint, and for an endpoint
  ///   that accepts no method of the client. `SignInError.refused` with the server's texts,
  ///   otherwise `RESTError`. After status 503 the tokens are still valid: subscribe again later
  ///   (§2.2.1).
  public func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    guard let endpoint = client.server?.revocationEndpoint else {
      return Fail(error: SignInError.notSupported("revocation_endpoint")).eraseToAnyPublisher()
    }
    let client: OAuthClient
    do {
      client = try self.client.authenticating(
        byOneOf: self.client.server?.revocationEndpointAuthMethods,
        named: "revocation_endpoint_auth_methods_supported")
    } catch {
      return Fail(error: error).eraseToAnyPublisher()
    }
    let access = end(credential.accessToken, "access_token", of: client, at: endpoint)
    guard let refreshToken = credential.refreshToken, !refreshToken.isEmpty else { return access }
    return end(refreshToken, "refresh_token", of: client, at: endpoint)
      .flatMap {
        access.tryCatch { error in
          guard case SignInError.refused(let refusal) = error,
            refusal.code == "unsupported_token_type"
          else { throw error }
          return Just(()).setFailureType(to: (any Error).self)
        }
      }
      .eraseToAnyPublisher()
  }

  private func end(
    _ token: String, _ kind: String, of client: OAuthClient, at endpoint: String
  ) -> AnyPublisher<Void, any Error> {
    let fields = [
      URLQueryItem(name: "token", value: token), URLQueryItem(name: "token_type_hint", value: kind),
    ]
    return client.answer(to: fields, at: endpoint)
      .validateStatus()
      .map { _ in () }
      .mapError { SignInRefusal.error(of: $0, hiding: client.secrets + [token]) }
      .eraseToAnyPublisher()
  }
}
