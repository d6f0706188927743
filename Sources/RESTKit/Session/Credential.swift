import Foundation

/// The tokens that identify the caller to a server.
///
/// Its descriptions never show the tokens.
public struct Credential: Sendable, Hashable, Codable {
  /// The token that each request carries (RFC 6750).
  public var accessToken: String
  /// The token that brings a new access token (RFC 6749 §1.5), or nil if there is none.
  public var refreshToken: String?
  /// The expiry of the access token by this machine's clock, or nil if it is unknown.
  public var expiresAt: Date?
  /// The scope of the access token, as the server writes it (RFC 6749 §3.3).
  public var scope: String?
  /// The owner of the credential, if the app states it.
  ///
  /// A refresh keeps the account. Processes that share a store can thus tell another user's credential from a
  /// newer one of the same user.
  public var account: String?

  public init(
    accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil, scope: String? = nil,
    account: String? = nil
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
    self.scope = scope
    self.account = account
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "Credential(accessToken: \(accessToken.isEmpty ? "empty" : "hidden"), "
      + "refreshToken: \(refreshToken == nil ? "none" : "hidden"))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
