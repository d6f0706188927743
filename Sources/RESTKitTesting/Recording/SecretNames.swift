import RESTKit

/// The rule that decides which names in recordings are names of secrets.
struct SecretNames: Sendable {
  /// The part of a message that a name belongs to.
  enum Place {
    case header
    /// A query, a form or the body of a request.
    case request
    /// JSON of a response.
    case response
  }

  private let secret: Set<String>
  private let shown: Set<String>

  init(secrets: [String] = [], shown: [String] = []) {
    secret = Set(secrets.map(Self.normalized))
    self.shown = Set(shown.map(Self.normalized))
  }

  func contains(_ name: String, in place: Place) -> Bool {
    let key = Self.normalized(name)
    if shown.contains(key) { return false }
    if secret.contains(key) { return true }
    if Self.descriptions.contains(where: key.hasSuffix) { return false }
    switch place {
    case .header:
      guard !Self.plainHeaders.contains(key) else { return false }
      return key == Self.idempotencyKey || Redaction.byName.hides(header: name)
    case .request: return RESTKit.SecretNames.standard.contains(name)
    // An error may have a `code`, and an element of a list may have a `key`.
    case .response: return key != "code" && key != "key" && RESTKit.SecretNames.standard.contains(name)
    }
  }

  /// Whether a number with this name is a secret, and not a fact about one, such as `token_count`.
  func hidesNumbers(under name: String) -> Bool {
    let key = Self.normalized(name)
    return secret.contains(key) || Self.numbers.contains(key)
  }

  private static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// The ends of names that describe a secret without containing it, such as `token_type` and
  /// `token_endpoint`.
  private static let descriptions = [
    "type", "endpoint", "uri", "url", "expiresin", "expiresat", "expiry", "expiration", "supported",
    "algorithm", "method", "methods",
  ]

  /// Challenges, which a client reads (RFC 9110 §11.6.1).
  private static let plainHeaders: Set = ["wwwauthenticate", "proxyauthenticate"]

  /// A key that differs in each run, and is the same for the attempts of one call.
  private static let idempotencyKey = "idempotencykey"

  private static let numbers: Set = [
    "pin", "otp", "password", "passwd", "passcode", "pwd", "secret", "code",
  ]
}
