import Streams

/// How a new access token is bought.
///
/// A ``TokenSession`` asks a grant for one token at a time. What a grant sends must not be given to
/// `authorize` of the session it works for: that would wait for itself, and fails instead. A verb of an
/// API with that session goes without its token, but in a task of the grant's own, where it has to say
/// `authorization: .none`. Nor is it redirected, which would take the credential in its body along: that
/// fails with ``RESTError`` of kind `redirect`.
public protocol TokenGrant: Sendable {
  /// Whether somebody has to have signed in; true unless said otherwise.
  ///
  /// False where the server knows the client itself, as with client credentials (RFC 6749 §4.4): a
  /// session then buys its first token on its own.
  var requiresSignIn: Bool { get }

  /// Asks for a new token: once for each subscription, and not before there is one.
  ///
  /// One answer comes, or a ``GrantError`` that says what becomes of the session. A cancel ends the
  /// exchange.
  ///
  /// - Parameter credential: The one to renew; nil where there is none, which only a grant gets to see
  ///   whose ``TokenGrant/requiresSignIn`` is false.
  func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError>
}

extension TokenGrant {
  public var requiresSignIn: Bool { true }
}
