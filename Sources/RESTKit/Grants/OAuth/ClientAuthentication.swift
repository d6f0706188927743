import Foundation

/// How a client proves to an authorization server which one it is (RFC 6749 §2.3.1).
///
/// Its texts never show the secret.
public enum ClientAuthentication: Sendable {
  /// In the `Authorization` header, which every server takes.
  case basic(secret: String)
  /// In the form, for servers that do not read the header.
  case form(secret: String)
  /// By a signed statement in the form (RFC 7523 §2.2): the key stays where it is.
  case assertion(ClientAssertion)
  /// Not at all, as apps in the hands of their users do: no secret is one there (RFC 8252 §8.5).
  case none
}

extension ClientAuthentication {
  /// The secrets that every request of the client contains.
  var secrets: [String] {
    switch self {
    case .basic(let secret), .form(let secret): [secret]
    // An assertion is made anew for each request, and is of no use in another one.
    case .assertion, .none: []
    }
  }
}

extension ClientAuthentication: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String {
    switch self {
    case .basic: "basic(secret: hidden)"
    case .form: "form(secret: hidden)"
    case .assertion: "assertion(key: hidden)"
    case .none: "none"
    }
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension [URLQueryItem] {
  /// The fields of a token request, without those that have no value.
  package static func grant(_ type: String, _ fields: [(name: String, value: String?)]) -> Self {
    [URLQueryItem(name: "grant_type", value: type)]
      + fields.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
  }
}
