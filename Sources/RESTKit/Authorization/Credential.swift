/// What proves to a server who is calling.
///
/// Its texts never show the tokens.
public struct Credential: Sendable, Hashable, Codable {
  /// Goes with each request (RFC 6750).
  public var accessToken: String
  /// Buys a new access token (RFC 6749 §1.5); nil where there is none.
  public var refreshToken: String?

  public init(accessToken: String, refreshToken: String? = nil) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
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
