import Foundation
import Streams

/// The way a session begins: an exchange that asks a user, or a program in the user's place, for a
/// credential.
///
/// ``TokenSession/signIn(with:)`` runs it. As with ``TokenGrant``, its requests are not redirected and carry
/// no token of the session that it signs in to.
///
/// A login form with an API of its own takes a few lines:
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
  /// Returns a publisher that asks for a credential, once for each subscription and not before it.
  ///
  /// It delivers one credential, or fails with the reason. A cancel ends the sign-in.
  ///
  /// - Parameter now: The session's wall clock. A token's lifetime counts from the moment of its request.
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
      expiresAt: response.lifetime.map { date + $0.timeInterval },
      scope: response.scope ?? scope, account: account)
  }
}
