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
  /// The name that it has in the metadata of servers (RFC 8414 §2); nil where nothing is proven.
  var methodName: String? {
    switch self {
    case .basic: "client_secret_basic"
    case .form: "client_secret_post"
    case .assertion: "private_key_jwt"
    case .none: nil
    }
  }

  /// The way in which a client proves itself at an endpoint: its own, or another one that takes the same
  /// secret.
  ///
  /// - Parameter methods: What the endpoint takes; nil where its server does not say.
  /// - Returns: nil where none fits.
  func among(_ methods: [String]?) -> ClientAuthentication? {
    // A client that proves nothing only says its name: servers do not list that.
    guard let methods, let methodName, !methods.contains(methodName) else { return self }
    switch self {
    case .basic(let secret) where methods.contains("client_secret_post"):
      return .form(secret: secret)
    case .form(let secret) where methods.contains("client_secret_basic"):
      return .basic(secret: secret)
    // Whether a statement is signed with a key or with a secret, only its closure knows.
    case .assertion where methods.contains("client_secret_jwt"): return self
    default: return nil
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
