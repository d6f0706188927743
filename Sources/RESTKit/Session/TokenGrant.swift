import Streams

/// How a new access token is bought.
///
/// A ``TokenSession`` asks a grant for one token at a time. What a grant sends must not be authorized
/// by the session it works for: that would wait for itself, and fails instead. Nor is it redirected,
/// which would take the credential in its body along: that fails with ``RESTError`` of kind `redirect`.
public protocol TokenGrant: Sendable {
  /// Whether it needs nobody to have signed in: the server knows the client itself, as with client
  /// credentials (RFC 6749 §4.4). A session then buys its first token on its own.
  var needsNoSignIn: Bool { get }

  /// Asks for a new token: once for each subscription, and not before there is one.
  ///
  /// One answer comes, or a ``GrantFailure`` that says what becomes of the session. A cancel ends the
  /// exchange.
  ///
  /// - Parameter credential: The one to renew; nil where there is none, which only a grant that
  ///   ``TokenGrant/needsNoSignIn`` gets to see.
  func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantFailure>
}

extension TokenGrant {
  public var needsNoSignIn: Bool { false }
}
