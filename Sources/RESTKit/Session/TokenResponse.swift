import Foundation

/// What a server answers when a token is bought (RFC 6749 §5.1).
///
/// Its texts never show the tokens.
public struct TokenResponse: Sendable, Hashable {
  /// The new access token.
  public var accessToken: String
  /// The refresh token that takes the old one's place; nil where the old one stays.
  public var refreshToken: String?
  /// How long the access token is valid from when it was asked for; nil where the server does not
  /// say.
  public var lifetime: Duration?
  /// What the access token may be used for; nil where that is what was asked for.
  public var scope: String?

  public init(
    accessToken: String, refreshToken: String? = nil, lifetime: Duration? = nil,
    scope: String? = nil
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.lifetime = lifetime
    self.scope = scope
  }
}

extension TokenResponse: Decodable {
  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
    case lifetime = "expires_in"
    case scope
  }

  /// Reads the JSON of RFC 6749 §5.1; what it says of the token's life is read leniently, by the
  /// rules of ``TokenLifetime``.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try members.decode(String.self, forKey: .accessToken)
    refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
    lifetime = (try? members.decode(TokenLifetime.self, forKey: .lifetime))?.duration
    scope = try members.decodeIfPresent(String.self, forKey: .scope)
  }
}

extension TokenResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "TokenResponse(accessToken: \(accessToken.isEmpty ? "empty" : "hidden"), "
      + "refreshToken: \(refreshToken == nil ? "none" : "hidden"))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
