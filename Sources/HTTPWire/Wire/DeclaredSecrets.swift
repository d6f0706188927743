import Streams

/// The names of secrets that an API declares besides those of the one list, for what its calls
/// show, record and keep apart.
///
/// It is an object, so that a response that carries it counts one reference.
package final class DeclaredSecrets: Sendable {
  /// The context key of what the API of a call declares; nil for nothing.
  package enum Key: SubscriptionContextKey {
    package static var defaultValue: DeclaredSecrets? { nil }
  }

  /// The names, in any spelling.
  package let names: Set<String>
  /// The one list with the names.
  package let list: SecretNames

  private init(of names: some Collection<String>) {
    self.names = Set(names)
    list = SecretNames(adding: names)
  }

  // An initializer that fails makes the object first, and nearly every API has no names.
  /// - Returns: nil if there are no names.
  package static func declared(_ names: some Collection<String>) -> DeclaredSecrets? {
    names.isEmpty ? nil : DeclaredSecrets(of: names)
  }
}

extension Redaction {
  /// Returns a redaction that hides the values of declared names, too.
  ///
  /// ``strict`` shows only fields that describe the message.
  package func adding(_ declared: DeclaredSecrets?) -> Redaction {
    guard let declared else { return self }
    return switch self {
    case .byName: .byNames(adding: declared.names)
    case .byNames(let added): .byNames(adding: added.union(declared.names))
    case .strict, .none: self
    }
  }
}
