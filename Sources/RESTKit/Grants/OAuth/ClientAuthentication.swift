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

extension ClientAuthentication {
  /// The secrets that every request of the client contains.
  var secrets: [String] {
    switch self {
    case .basic(let secret), .form(let secret): [secret]
    // Each request gets a new assertion, which cannot be used in another one.
    case .assertion, .none: []
    }
  }

  /// The name of the method in a server's metadata (RFC 8414 §2); nil for no authentication.
  var methodName: String? {
    switch self {
    case .basic: "client_secret_basic"
    case .form: "client_secret_post"
    case .assertion: "private_key_jwt"
    case .none: nil
    }
  }

  /// Returns the authentication at an endpoint: this one, or another one with the same secret.
  ///
  /// - Parameter methods: The methods that the endpoint accepts, or nil if they are not known.
  /// - Returns: The authentication, or nil if the endpoint accepts none.
  func among(_ methods: [String]?) -> ClientAuthentication? {
    // Without authentication, the client only sends its identifier, which servers do not list as a method.
    guard let methods, let methodName, !methods.contains(methodName) else { return self }
    switch self {
    case .basic(let secret) where methods.contains("client_secret_post"):
      return .form(secret: secret)
    case .form(let secret) where methods.contains("client_secret_basic"):
      return .basic(secret: secret)
    // Only the closure of an assertion knows whether it signs with a key or with a secret.
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
  /// Returns the fields of a token request, without the fields that have no value.
  package static func grant(_ type: String, _ fields: [(name: String, value: String?)]) -> Self {
    [URLQueryItem(name: "grant_type", value: type)]
      + fields.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
  }
}
