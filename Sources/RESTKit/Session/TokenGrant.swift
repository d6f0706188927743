import Streams

/// A grant: the exchange that brings a new access token.
///
/// A ``TokenSession`` requests one token at a time from its grant. Do not pass a grant's request to
/// `authorize` of the session that the grant works for: the request would wait for itself, so it fails. A
/// verb of an API with that session sends without the session's token. In a task that the grant starts
/// itself, the verb needs `authorization: .none` for that. A grant's request is not redirected, since a
/// redirect would forward the credential in its body. Such a redirect fails with a ``RESTError`` of kind
/// `redirect`.
public protocol TokenGrant: Sendable {
  /// Whether the grant requires a signed-in user. The default is true.
  ///
  /// It is false if the server knows the client itself, as with client credentials (RFC 6749 §4.4). The
  /// session then requests its first token on its own.
  var requiresSignIn: Bool { get }

  /// Returns a publisher that requests a new token, once for each subscription and not before it.
  ///
  /// It delivers one response, or fails with a ``GrantError`` that tells the session how to continue. A
  /// cancel ends the exchange.
  ///
  /// - Parameter credential: The credential to renew. It can be nil only if ``TokenGrant/requiresSignIn``
  ///   is false.
  func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError>
}

extension TokenGrant {
  public var requiresSignIn: Bool { true }
}
