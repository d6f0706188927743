import Foundation

/// A method by which a client authenticates to an authorization server (RFC 6749 §2.3.1).
///
/// Its descriptions never show the secret.
public enum ClientAuthentication: Sendable {
  /// A secret in the `Authorization` header, which every server accepts.
  case basic(secret: String)
  /// A secret in the form, for servers that do not read the header.
  case form(secret: String)
  /// A signed statement in the form (RFC 7523 §2.2). The key is never sent.
  case assertion(ClientAssertion)
  /// No authentication, for apps that users install: they cannot keep a secret (RFC 8252 §8.5).
  case none
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
  /// Returns the fields of a token request, without the fields that have no value.
  package static func grant(_ type: String, _ fields: [(name: String, value: String?)]) -> Self {
    [URLQueryItem(name: "grant_type", value: type)]
      + fields.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
  }
}
