import Foundation
import Streams

/// How a session begins: asks a user, or whoever stands in for one, for a credential.
///
/// ``TokenSession/signIn(with:)`` runs it. The requests of a grant are not redirected and carry no token
/// of the session that it signs in to, by the rules of ``TokenGrant``.
///
/// A login form with an API of its own is a grant of a few lines:
///
/// ```swift
/// struct FormSignIn: SignInGrant {
///   let name, password: String
///
///   func credential(
///     at now: @escaping @Sendable () -> Date
///   ) -> AnyPublisher<Credential, any Error> {
///     api.post(endpoint: "login", body: .json(["name": name, "password": password]))
///       .decode(type: TokenResponse.self)
///       .map { Credential($0, issuedAt: now()) }
///       .eraseToAnyPublisher()
///   }
/// }
/// ```
public protocol SignInGrant: Sendable {
  /// Asks for a credential: once for each subscription, and not before there is one.
  ///
  /// One credential comes, or a failure that says why there is none. A cancel ends the sign-in.
  ///
  /// - Parameter now: The session's wall clock. A token's end counts from the moment it was asked for.
  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error>
}

extension Credential {
  /// The credential that a token answer brings.
  ///
  /// - Parameters:
  ///   - response: The answer of the server.
  ///   - date: When the token was asked for, by this machine's clock.
  ///   - scope: What was asked for; it holds where the answer names no scope (RFC 6749 §5.1).
  ///   - account: Whose it is, where the app knows.
  public init(
    _ response: TokenResponse, issuedAt date: Date, scope: String? = nil, account: String? = nil
  ) {
    self.init(
      accessToken: response.accessToken,
      refreshToken: response.refreshToken.flatMap { $0.isEmpty ? nil : $0 },
      expiresAt: response.lifetime.map { date + $0.timeInterval },
      scope: response.scope ?? scope, account: account)
  }
}
