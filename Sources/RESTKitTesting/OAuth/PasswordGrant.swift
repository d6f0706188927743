import RESTKit
import Streams

/// Buys access tokens with a user's password (RFC 6749 §4.3), **for tests only**.
///
/// An app must not ask for the password that belongs to another party (RFC 9700 §2.4). A test signs a
/// user of its own in with it, where there is no browser for another grant.
public struct PasswordGrant: TokenGrant {
  public let requiresSignIn = false
  private let client: OAuthClient
  private let username: String
  private let password: String
  private let scope: String?

  /// - Parameters:
  ///   - client: Who asks.
  ///   - username: The user of the test.
  ///   - password: That user's password.
  ///   - scope: What the tokens may be used for; nil for what the server gives by itself.
  public init(_ client: OAuthClient, username: String, password: String, scope: String? = nil) {
    self.client = client
    self.username = username
    self.password = password
    self.scope = scope
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    client.token(
      .grant("password", [("username", username), ("password", password), ("scope", scope)]))
  }
}

extension PasswordGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "PasswordGrant(username: \(username), password: hidden)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
