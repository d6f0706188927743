import Streams

/// A grant of your own: a closure that makes the token request.
///
/// ```swift
/// let grant = ClosureGrant { credential in
///   api.put(endpoint: "session", body: .json(["refresh": credential?.refreshToken]))
///     .decode(type: TokenResponse.self)
/// }
/// ```
///
/// For a JSON request with other names or another method, ``JSONRefreshGrant`` has parameters.
///
/// A redirect of the request fails, whatever the API's ``RESTAPI/redirects`` is, because the redirected
/// request would contain the credential. With ``RedirectPolicy/never``, the grant gets the redirect as a
/// response.
public struct ClosureGrant: TokenGrant {
  public let requiresSignIn: Bool
  private let request: @Sendable (Credential?) -> AnyPublisher<TokenResponse, GrantError>

  /// - Parameters:
  ///   - requiresSignIn: Whether the grant needs a credential to request a token.
  ///   - request: Makes the request of each refresh. ``GrantError/init(_:)`` converts a failure that is not a
  ///     ``GrantError``.
  public init<Request: Publisher<TokenResponse, any Error>>(
    requiresSignIn: Bool = true, request: @escaping @Sendable (Credential?) -> Request
  ) {
    self.requiresSignIn = requiresSignIn
    self.request = { credential in
      request(credential).mapError { GrantError($0) }.eraseToAnyPublisher()
    }
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    Deferred { request(credential) }.context(RedirectBound.Key.self, .place).eraseToAnyPublisher()
  }
}
