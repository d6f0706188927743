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
    /// A query or a form of a sign-in by OAuth 2.
    case signIn
    /// JSON of a response.
    case response

    /// Returns the place of names in a query or a form.
    ///
    /// A request for a code has a `response_type` (RFC 6749 §4.1.1). The response to it has a
    /// `state`, and a `code` or an `error` (§4.1.2).
    static func fields(_ text: String) -> Place {
      func has(_ name: String) -> Bool {
        [("=", "&"), ("%3D", "%26")].contains { equals, and in
          ["?", "&", "#", "%3F", and].contains { text.contains("\($0)\(name)\(equals)") }
            || text.hasPrefix("\(name)\(equals)")
        }
      }
      let isAnswer = has("state") && (has("code") || has("error"))
      return isAnswer || has("response_type") ? .signIn : .request
    }
  }

  /// The member of a file's log that lists the further names of secrets.
  static let member = "_secretNames"

  /// The names of secrets besides those of the one list.
  let secrets: Set<String>
  private let shown: [String]
  private let names: SecretNames
  /// The names with those of values that each sign-in chooses anew.
  private let signInNames: SecretNames

  init(secrets: some Collection<String> = [], shown: [String] = []) {
    self.secrets = Set(secrets)
    self.shown = shown
    names = SecretNames(adding: secrets, showing: shown)
    signInNames = SecretNames(
      adding: self.secrets.union(["state", "nonce", "code_challenge"]), showing: shown)
  }

  /// Returns the names with further ones.
  func adding(_ others: some Sequence<String>) -> RecordedNames {
    RecordedNames(secrets: secrets.union(others), shown: shown)
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
    case (.signIn, _): signInNames.meaning(of: name)
    case (.response, _), (.request, _): names.meaning(of: name)
    }
  }

  /// Whether a number with this name is a secret, and not a fact about one, such as `token_count`.
  func hidesNumbers(under name: String) -> Bool { names.hidesNumbers(under: name) }
}
