import Streams

/// A grant of your own: a closure that makes the token request.
///
/// A redirect of what it sends is refused, whatever the API's ``RESTAPI/redirects`` say, unless that is
/// ``RedirectPolicy/never``: it would take the credential in the body along.
///
/// ```swift
/// let grant = ClosureGrant { credential in
///   api.post(endpoint: "token", body: .data(body(for: credential)))
///     .decode(type: TokenResponse.self)
/// }
/// ```
public struct ClosureGrant: TokenGrant {
  public let requiresSignIn: Bool
  private let request: @Sendable (Credential?) -> AnyPublisher<TokenResponse, GrantError>

  /// - Parameters:
  ///   - requiresSignIn: Whether it needs a credential to buy a token with.
  ///   - request: Makes the request for each refresh. A failure that is no ``GrantError`` is sorted
  ///     by the rules of ``GrantError/init(_:)``.
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
