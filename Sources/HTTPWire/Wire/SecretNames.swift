/// The names under which a message carries secrets: the one list for caches, shared exchanges, redirects,
/// texts and recordings.
package struct SecretNames: Sendable, Hashable {
  /// The names that are secret in every message.
  package static let standard = SecretNames()

  private let added: Set<String>

  /// - Parameter names: Further names of secrets, in any spelling.
  package init(adding names: some Sequence<String> = []) {
    added = Set(names.map(Self.normalized))
  }

  /// Returns whether the value of a JSON member, a form field or a query item is a secret.
  package func contains(_ name: String) -> Bool {
    let name = Self.normalized(name)
    return added.contains(name) || Self.names.contains(name)
      || Self.words.contains { name.contains($0) }
  }

  /// Returns whether the value of a header field is a secret.
  package func contains(field name: String) -> Bool {
    HTTPHeaders.secretNames.contains { HTTPHeaders.isSameName($0, name) } || contains(name)
  }

  private static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private static let names: Set = ["key", "sig", "code", "pin", "otp", "pwd", "sid", "pass"]

  private static let words = [
    "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey",
    "authoriz", "authentic", "credential", "signature", "session", "cookie", "jwt", "assertion",
  ]
}
