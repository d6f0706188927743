import Foundation

/// What proves to a server who is calling.
///
/// Its texts never show the tokens.
public struct Credential: Sendable, Hashable, Codable {
  /// Goes with each request (RFC 6750).
  public var accessToken: String
  /// Buys a new access token (RFC 6749 §1.5); nil where there is none.
  public var refreshToken: String?
  /// When the access token ends, by this machine's clock; nil where nobody said.
  public var expiresAt: Date?
  /// What the access token may be used for, as the server writes it (RFC 6749 §3.3).
  public var scope: String?
  /// Whose it is, where the app says so.
  ///
  /// A refresh keeps it, so that processes which share a store can tell another user's credential
  /// from a newer one of the same user.
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
