import RESTKit
import Streams

/// A grant that requests access tokens with a user's password (RFC 6749 §4.3), **for tests only**.
///
/// An app must not ask for the password of another party's account (RFC 9700 §2.4). A test can use
/// it to sign in a test user without a browser.
public struct PasswordGrant: TokenGrant {
  public let requiresSignIn = false
  private let client: OAuthClient
  private let username: String
  private let password: String
  private let scope: String?

  /// - Parameters:
  ///   - client: The client that sends the requests.
  ///   - username: The user of the test.
  ///   - password: The user's password.
  ///   - scope: The scope of the tokens; nil for the server's default.
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
  public var description: String {
    "PasswordGrant(username: \(username.printable), password: hidden)"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
