import RESTKit

/// The rule that decides which names in a recording are names of secrets.
///
/// It is the one list, with what a place in a message says about a name.
struct RecordedNames: Sendable {
  /// The part of a message that a name belongs to.
  enum Place {
    case header
    /// A query, a form or the body of a request.
    case request
    /// JSON of a response.
    case response
  }

  private let names: SecretNames

  init(secrets: [String] = [], shown: [String] = []) {
    names = SecretNames(adding: secrets, showing: shown)
  }

  func contains(_ name: String, in place: Place) -> Bool { meaning(of: name, in: place) != .plain }

  func meaning(of name: String, in place: Place) -> SecretNames.Meaning {
    switch (place, name.lowercased()) {
    // A client reads a challenge (RFC 9110 §11.6.1).
    case (.header, "www-authenticate"), (.header, "proxy-authenticate"): .plain
    // It differs in each run, and is the same for the attempts of one call.
    case (.header, "idempotency-key"): .secret
    case (.header, _): names.contains(field: name) ? .secret : .plain
    // An error may have a `code`, and an element of a list may have a `key`.
    case (.response, "code"), (.response, "key"): names.adds(name) ? .secret : .plain
    case (.response, _), (.request, _): names.meaning(of: name)
    }
  }

  /// Whether a number with this name is a secret, and not a fact about one, such as `token_count`.
  func hidesNumbers(under name: String) -> Bool { names.hidesNumbers(under: name) }
}
