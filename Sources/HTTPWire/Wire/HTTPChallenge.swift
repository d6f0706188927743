/// A challenge of a server: what a request needs in order to be accepted (RFC 9110 §11.6.1).
///
/// `HTTPHeaders.challenges` reads those of a response. The texts are the server's own.
///
/// ```swift
/// // 401, WWW-Authenticate: Bearer error="insufficient_user_authentication", max_age=5
/// let challenge = response.headers.challenges.first
/// challenge?.error  // insufficient_user_authentication
/// challenge?.maxAge  // 5 seconds
/// ```
public struct HTTPChallenge: Sendable, Hashable {
  /// A parameter of a challenge, such as `realm`.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value without quotes and escapes.
    public let value: String
  }

  /// The scheme as the server wrote it, such as `Bearer`.
  ///
  /// ``isOf(scheme:)`` compares it.
  public let scheme: String
  /// The text behind the scheme that is no list of parameters (`token68`), as of `Negotiate`; nil
  /// if there is none.
  public let token: String?
  /// All parameters in order, with duplicates.
  public fileprivate(set) var parameters: [Parameter]

  /// The value of the first parameter of a name, in any case, or nil if there is none.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// Returns whether the challenge is of a scheme, in any case.
  public func isOf(scheme: String) -> Bool { self.scheme.lowercased() == scheme.lowercased() }
}

// The parameters of bearer tokens.
extension HTTPChallenge {
  /// The reason why a token was refused (RFC 6750 §3.1), such as `invalid_token`; nil if the server
  /// gives none.
  public var error: String? { self["error"] }

  /// The scopes that the request needs (RFC 6750 §3), or an empty array if the server names none.
  public var scopes: [String] { words("scope") }

  /// The ways of authentication of which the user needs one, the preferred one first (RFC 9470 §3),
  /// or an empty array if the server names none.
  ///
  /// Pass them to the next sign-in as the parameter `acr_values`.
  public var acrValues: [String] { words("acr_values") }

  /// The longest time since the user's last authentication (RFC 9470 §3); nil if the server states
  /// none.
  ///
  /// Pass it to the next sign-in as the parameter `max_age`, in seconds.
  public var maxAge: Duration? {
    self["max_age"].flatMap { Int64(digits: Substring($0)) }.map { .seconds($0) }
  }

  private func words(_ name: String) -> [String] {
    (self[name] ?? "").utf8.split(whereSeparator: \.isBlank).map { String(Substring($0)) }
  }
}

extension HTTPChallenge: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The scheme and the names of the parameters: their values may be secrets, such as a nonce.
  public var description: String {
    "HTTPChallenge(\(scheme), parameters: \(parameters.map(\.name)))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPHeaders {
  /// The challenges of `WWW-Authenticate`, in order; an empty array if there are none.
  ///
  /// Servers forget commas between parameters, so blanks also separate them. A parameter before the
  /// first scheme is dropped.
  public var challenges: [HTTPChallenge] {
    var challenges: [HTTPChallenge] = []
    for line in values(for: "WWW-Authenticate") {
      var last: Int?
      for member in FieldMembers.split(line) {
        var reader = ChallengeReader(member)
        if let challenge = reader.challenge() {
          last = challenges.count
          challenges.append(challenge)
        }
        while let parameter = reader.parameter() {
          if let last { challenges[last].parameters.append(parameter) }
        }
      }
    }
    return challenges
  }
}

/// A reader of one member of `WWW-Authenticate`.
private struct ChallengeReader {
  private var rest: Substring.UTF8View

  init(_ member: Substring) {
    rest = member.utf8
  }

  /// Takes a scheme, with its `token68` if it has one; nil if a parameter comes next.
  mutating func challenge() -> HTTPChallenge? {
    let name = word()
    let behind = rest.dropFirst(name.count).drop(while: \.isBlank)
    guard !name.isEmpty, behind.first != UInt8(ascii: "=") else { return nil }
    rest = behind
    return HTTPChallenge(scheme: String(Substring(name)), token: token(), parameters: [])
  }

  /// Takes `name=value` or `name="value"`; nil if anything else comes next.
  mutating func parameter() -> HTTPChallenge.Parameter? {
    rest = rest.drop(while: \.isBlank)
    let name = word()
    let behind = rest.dropFirst(name.count).drop(while: \.isBlank)
    guard !name.isEmpty, behind.first == UInt8(ascii: "=") else { return nil }
    rest = behind.dropFirst().drop(while: \.isBlank)
    return HTTPChallenge.Parameter(name: Substring(name).lowercased(), value: value())
  }

  private func word() -> Substring.UTF8View {
    rest.prefix { !$0.isBlank && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
  }

  /// Takes the rest of the member if it has the form of a `token68` (RFC 9110 §11.2).
  private mutating func token() -> String? {
    let text = rest.prefix { !$0.isBlank && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
    guard !text.isEmpty, rest[text.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }) else {
      return nil
    }
    defer { rest = rest[rest.endIndex...] }
    return String(Substring(rest))
  }

  private mutating func value() -> String {
    guard rest.first == UInt8(ascii: "\"") else {
      let text = rest.prefix { !$0.isBlank }
      rest = rest[text.endIndex...]
      return String(Substring(text))
    }
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
