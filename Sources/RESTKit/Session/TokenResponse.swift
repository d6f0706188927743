import Foundation

/// A token endpoint's successful response (RFC 6749 §5.1).
///
/// Its text forms do not contain the tokens.
public struct TokenResponse: Sendable, Hashable {
  /// The new access token.
  public var accessToken: String
  /// The new refresh token; nil if the old one remains valid.
  public var refreshToken: String?
  /// The time that the access token is valid, from the moment of the request; nil if the server
  /// does not say.
  public var lifetime: Duration?
  /// The scope of the access token; nil if it is the scope that was requested.
  public var scope: String?
  /// What the credential keeps besides, as ``Credential/extras``.
  public var extras: [String: JSONValue]

  public init(
    accessToken: String, refreshToken: String? = nil, lifetime: Duration? = nil,
    scope: String? = nil, extras: [String: JSONValue] = [:]
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.lifetime = lifetime
    self.scope = scope
    self.extras = extras
  }
}

extension TokenResponse: Decodable {
  /// Reads the JSON of RFC 6749 §5.1, or the same names in camel case: `access_token` or
  /// `accessToken`, `refresh_token` or `refreshToken`, `expires_in` or `expiresIn`, and `scope`.
  ///
  /// If a response has both spellings, the one of the RFC counts, unless it is null. A token may be
  /// an integer, and the scope an array of texts, as some servers write them. ``TokenLifetime``
  /// reads the lifetime leniently.
  public init(from decoder: any Decoder) throws {
    try self.init(from: decoder, extras: [])
  }

  /// Reads a response with a server's own names, or with those of ``init(from:)``.
  ///
  /// The first name with a value that is not null counts.
  ///
  /// - Parameters:
  ///   - extras: The names of the members that become extras, if they are present and not null.
  ///   - readLifetime: A closure that returns the lifetime that a member with the server's own name
  ///     says.
  init(
    from decoder: any Decoder, accessToken ownAccess: String? = nil,
    refreshToken ownRefresh: String? = nil, lifetime ownLifetime: String? = nil, extras: [String],
    readLifetime: (TokenLifetime) -> Duration? = { $0.duration }
  ) throws {
    let members = try decoder.container(keyedBy: MemberName.self)
    func key(_ own: String?, _ names: String...) -> MemberName {
      let keys = ([own].compactMap(\.self) + names).map(MemberName.init(stringValue:))
      let present = keys.filter(members.contains)
      let given = present.first(where: { (try? members.decodeNil(forKey: $0)) == false })
      return given ?? present.first ?? keys[0]
    }
    accessToken = try members.decode(
      TokenText.self, forKey: key(ownAccess, "access_token", "accessToken")
    ).text
    refreshToken = try members.decodeIfPresent(
      TokenText.self, forKey: key(ownRefresh, "refresh_token", "refreshToken"))?.text
    let lifetimeKey = key(ownLifetime, "expires_in", "expiresIn")
    let lifetime = try? members.decode(TokenLifetime.self, forKey: lifetimeKey)
    self.lifetime =
      lifetimeKey.stringValue == ownLifetime
      ? lifetime.flatMap(readLifetime) : lifetime?.duration
    scope = try members.decodeIfPresent(ScopeText.self, forKey: key(nil, "scope"))?.text
    self.extras = [:]
    for name in extras {
      self.extras[name] = try members.decodeIfPresent(JSONValue.self, forKey: key(name))
    }
  }

  /// Returns the text of a member of a response, which may be an integer; nil without it.
  static func text(of name: String, in decoder: any Decoder) throws -> String? {
    try decoder.container(keyedBy: MemberName.self)
      .decodeIfPresent(TokenText.self, forKey: MemberName(stringValue: name))?.text
  }

  /// The name of a member of the response.
  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension TokenResponse {
  /// The name of a token that no request can carry, since it contains a control character; nil if
  /// there is none.
  ///
  /// Blanks and line breaks around the access token are no part of it: no request sends them.
  var unusableToken: String? {
    func isUnusable(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
    if isUnusable(accessToken.trimmingCharacters(in: .whitespacesAndNewlines)) {
      return "accessToken"
    }
    return refreshToken.map(isUnusable) == true ? "refreshToken" : nil
  }
}

/// A token: a text, or an integer in its place.
private struct TokenText: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Int64.self) {
      text = "\(number)"
    } else if let number = try? value.decode(UInt64.self) {
      text = "\(number)"
    } else {
      text = try value.decode(String.self)
    }
  }
}

/// A scope: a text with blanks between its values (RFC 6749 §3.3), or an array of them.
private struct ScopeText: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let values = try? value.decode([String].self) {
      text = values.joined(separator: " ")
    } else {
      text = try value.decode(String.self)
    }
  }
}

extension TokenResponse: LibraryResponse {
  package static var remedy: String {
    "Check the token endpoint's response. If its names differ, pass them to the grant with `names:`, "
      + "or decode a type of your own in a ClosureGrant or a ClosureSignIn."
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

/// The lifetime of a token, as servers write it: `3600`, `3600.0`, `"3600"`.
///
/// Zero, negative numbers and other texts count as no information: a new token is used until it is
/// refused. More than ten years count as ten years.
public struct TokenLifetime: Sendable, Hashable, Decodable {
  /// The server's number; nil if it states none.
  private let number: Double?

  /// The lifetime, or nil if the server does not state it.
  public var duration: Duration? { duration(perSecond: 1) }

  /// Ten years in seconds.
  ///
  /// A longer lifetime means "forever", and would overflow some types.
  static let longest = 315_360_000.0

  /// - Parameter seconds: The server's value in seconds, or nil if it states none.
  public init(seconds: Double?) {
    number = seconds.flatMap { $0 > 0 ? $0 : nil }
  }

  /// - Parameter units: How many units of the server's number are a second.
  func duration(perSecond units: Double) -> Duration? {
    number.map { .seconds(Swift.min($0 / units, Self.longest)) }
  }

  /// Decodes a number, or a string that contains a number.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Double.self) {
      self.init(seconds: number)
    } else {
      let text = (try? value.decode(String.self))?.trimmingCharacters(in: .whitespaces)
      self.init(seconds: text.flatMap { Double($0) })
    }
  }
}
