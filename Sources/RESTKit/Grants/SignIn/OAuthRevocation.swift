import Foundation
import Streams

/// Ends the tokens of a user at the server that issued them (RFC 7009).
///
/// The refresh token goes first, and the access token after it: servers should end the second with the
/// first (§2.1), and not all do. That a server cannot end access tokens by themselves is no failure
/// (`unsupported_token_type`, §2.2.1), once the refresh token is gone. A token that the server does not
/// know any more counts as ended.
///
/// The client proves itself as at the token endpoint. Where the server's metadata names the methods of its
/// revocation endpoint (RFC 8414 §2), and its own is not among them, a client with a secret sends that in
/// the other way.
public struct OAuthRevocation: TokenRevocation {
  private let client: OAuthClient

  /// - Parameter client: Who asks; its server has to have a `revocation_endpoint`.
  public init(_ client: OAuthClient) {
    self.client = client
  }

  /// - Errors: ``SignInError/notSupported(_:)`` for a server without the endpoint, and for one that takes none of
  ///   the client's methods there; ``SignInError/refused(_:)`` with the server's words; ``RESTError`` else. After a status of 503 the
  ///   tokens are still valid: subscribe again later (§2.2.1).
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
      .mapError { SignInRefusal.error(of: $0, hiding: [token]) }
      .eraseToAnyPublisher()
  }
}
