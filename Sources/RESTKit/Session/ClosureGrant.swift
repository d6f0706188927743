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
  public let needsNoSignIn: Bool
  private let request: @Sendable (Credential?) -> AnyPublisher<TokenResponse, GrantFailure>

  /// - Parameters:
  ///   - needsNoSignIn: Whether it can buy a token without a credential.
  ///   - request: Makes the request for each refresh. A failure that is no ``GrantFailure`` is sorted
  ///     by the rules of ``GrantFailure/init(_:)``.
  public init<Request: Publisher<TokenResponse, any Error>>(
    needsNoSignIn: Bool = false, request: @escaping @Sendable (Credential?) -> Request
  ) {
    self.needsNoSignIn = needsNoSignIn
    self.request = { credential in
      request(credential).mapError { GrantFailure($0) }.eraseToAnyPublisher()
    }
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantFailure> {
    Deferred { request(credential) }.context(RedirectBound.Key.self, .place).eraseToAnyPublisher()
  }
}
