import Foundation
import Streams

/// A grant: the exchange that brings a new access token.
///
/// A ``TokenSession`` requests one token at a time from its grant. Do not pass a grant's request to
/// `authorize` of the session that the grant works for: the request would wait for itself, so it
/// fails. A verb of an API with that session sends without the session's token, also in a `Task`
/// that the grant starts as it is subscribed to. In a detached task, on a queue, or in a task that
/// begins later, the verb needs `authorization: .none` for that. A grant's request is not
/// redirected, since a redirect would forward the credential in its body. Such a redirect fails
/// with a ``RESTError`` of kind `redirect`.
public protocol TokenGrant: Sendable {
  /// Whether the grant requires a signed-in user. The default is true.
  ///
  /// It is false if the server knows the client itself, as with client credentials (RFC 6749 §4.4).
  /// The session then requests its first token on its own.
  var requiresSignIn: Bool { get }

  /// Returns a publisher that requests a new token, once for each subscription and not before it.
  ///
  /// It delivers one response, or fails with a ``GrantError`` that tells the session how to
  /// continue. A cancel ends the exchange.
  ///
  /// - Parameter credential: The credential to renew. It can be nil only if
  ///   ``TokenGrant/requiresSignIn`` is false.
  func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError>
}

extension TokenGrant {
  public var requiresSignIn: Bool { true }
}

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
/// A redirect of the request fails, whatever the API's ``RESTAPI/redirects`` is, because the
/// redirected request would contain the credential. With ``RedirectPolicy/never``, the grant gets
/// the redirect as a response.
public struct ClosureGrant: TokenGrant {
  public let requiresSignIn: Bool
  private let request: @Sendable (Credential?) -> AnyPublisher<TokenResponse, GrantError>

  /// - Parameters:
  ///   - requiresSignIn: Whether the grant needs a credential to request a token.
  ///   - request: Makes the request of each refresh. ``GrantError/init(_:)`` converts a failure
  ///     that is not a ``GrantError``.
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

/// The way a session begins: an exchange that asks a user, or a program in the user's place, for a
/// credential.
///
/// ``TokenSession/signIn(with:)`` runs it. As with ``TokenGrant``, its requests are not redirected
/// and carry no token of the session that it signs in to.
///
/// ``JSONSignInGrant`` is for a login with JSON, ``ClosureSignIn`` for any other request. The
/// module RESTKitSignIn has those of OAuth 2.
public protocol SignInGrant: Sendable {
  /// Returns a publisher that asks for a credential, once for each subscription and not before it.
  ///
  /// It delivers one credential, or fails with the reason. A cancel ends the sign-in.
  ///
  /// - Parameter now: The session's wall clock. A token's lifetime counts from the moment of its
  ///   request.
  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error>
}

extension Credential {
  /// Makes the credential of a token response.
  ///
  /// - Parameters:
  ///   - response: The token endpoint's response.
  ///   - date: The time of the token request, by this machine's clock.
  ///   - scope: The requested scope. It applies if the response names none (RFC 6749 §5.1).
  ///   - account: The owner of the credential, if the app knows it.
  public init(
    _ response: TokenResponse, issuedAt date: Date, scope: String? = nil, account: String? = nil
  ) {
    self.init(
      accessToken: response.accessToken,
      refreshToken: response.refreshToken.flatMap { $0.isEmpty ? nil : $0 },
      issuedAt: date, expiresAt: response.lifetime.map { date + $0.inSeconds },
      scope: response.scope ?? scope, account: account, extras: response.extras)
  }
}

/// A way to revoke a credential at the server that issued it.
///
/// ``TokenSession/signOut(revokingWith:)`` runs it.
///
/// ``ClosureRevocation`` makes it of a closure. `OAuthRevocation` of the module RESTKitSignIn is
/// that of RFC 7009.
public protocol TokenRevocation: Sendable {
  /// Whether the server refuses the revocation if the access token has expired. The default is
  /// false.
  ///
  /// If it is true, the session's grant renews a credential whose access token has expired, before
  /// it is revoked, and once if the server answers the revocation with 401. Without a refresh
  /// token, the credential is revoked as it is.
  var requiresAccessToken: Bool { get }

  /// Returns a publisher that asks the server to revoke a credential, once for each subscription.
  ///
  /// It delivers one value and finishes when the server has agreed, or fails. A cancel ends the
  /// exchange, but the server may have acted already.
  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error>
}

extension TokenRevocation {
  public var requiresAccessToken: Bool { false }
}
