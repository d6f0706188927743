/// The names under which a message carries secrets: the one list for caches, shared exchanges,
/// redirects, texts and recordings.
///
/// A name is compared as words, in any spelling: `X-Auth-Token`, `authToken` and `AUTH_TOKEN` are
/// the same. A name that is in doubt is a secret, since a hidden value does less harm than a shown
/// one.
package struct SecretNames: Sendable, Hashable {
  /// What a name says about its value.
  package enum Meaning: Sendable {
    /// Nothing secret.
    case plain
    /// A secret, with everything in it.
    case secret
    /// Several secrets, such as `tokens`.
    ///
    /// The texts in it are secrets. The members of an object in it have names of their own.
    case secrets
  }

  /// The names that are secret in every message.
  package static let standard = SecretNames()

  private let added: Set<String>
  private let shown: Set<String>

  /// - Parameters:
  ///   - names: Further names of secrets, in any spelling.
  ///   - shown: Names that are none, although they look like one.
  package init(
    adding names: some Sequence<String> = [], showing shown: some Sequence<String> = []
  ) {
    added = Set(names.map { Name($0).text })
    self.shown = Set(shown.map { Name($0).text })
  }

  /// Returns whether the value of a JSON member, a form field or a query item is a secret.
  package func contains(_ name: String) -> Bool { meaning(of: name) != .plain }

  /// Returns whether the value of a header field is a secret.
  ///
  /// A field that differs in each request and names nobody, such as `Idempotency-Key`,
  /// `X-Request-ID` or `traceparent`, is none: it would part each request from every other.
  package func contains(field name: String) -> Bool {
    contains(name) && !name.lowercased().hasPrefix("access-control-")
  }

  /// Returns whether the name was added to the list.
  package func adds(_ name: String) -> Bool { added.contains(Name(name).text) }

  /// Returns whether a number of this name is a secret, and not a fact about one, such as
  /// `token_count`.
  package func hidesNumbers(under name: String) -> Bool {
    let name = Name(name)
    return added.contains(name.text) || name.words.last.map(Self.numbers.contains) == true
  }

  /// Returns what a name of a JSON member says about its value.
  ///
  /// It takes time proportional to the length of the name.
  package func meaning(of name: String) -> Meaning {
    let name = Name(name)
    if !added.isEmpty || !shown.isEmpty {
      if shown.contains(name.text) { return .plain }
      if added.contains(name.text) { return .secret }
    }
    guard let last = name.words.last, !Self.isDescription(name) else { return .plain }
    if Self.wholeNames.contains(name.text) || name.words.contains(where: Self.words.contains) {
      return .secret
    }
    let singular = last.hasSuffix("s") ? String(last.dropLast()) : nil
    if singular != nil, Self.countedNouns.contains(where: name.text.dropLast().hasSuffix) {
      return .secrets
    }
    if Self.containsStem(name.bytes) || Self.hasSecretEnding(last, of: name) { return .secret }
    // Without another word, `keys` and `codes` are as often names and results.
    guard let singular, name.words.count > 1 || !["key", "code"].contains(singular),
      ["key", "code"].contains(where: singular.hasSuffix)
    else { return .plain }
    return Self.hasSecretEnding(singular, of: name) ? .secrets : .plain
  }
}

// MARK: The list

extension SecretNames {
  /// Words that make a name a secret's, wherever they stand.
  package static let words: Set = [
    "auth", "otp", "totp", "pwd", "cookie", "hmac", "csrf", "xsrf", "bearer",
  ]

  /// Letters that make a name a secret's, wherever they stand.
  package static let stems = [
    "token", "secret", "password", "passwd", "passphrase", "passcode", "apikey", "accesskey",
    "privatekey", "authoriz", "authoris", "authentic", "credential", "signature", "cookie", "jwt",
    "assertion", "sessionid", "sessid", "codeverifier", "devicecode", "samlresponse", "samlrequest",
  ]

  /// Ends of names of secrets, such as that of `client_key`.
  package static let endings = [
    "key", "code", "auth", "session", "ticket", "verifier", "pin", "pass", "sid", "sig", "cvv",
    "cvc",
  ]

  /// Names that are a secret's only if there is nothing else in them.
  package static let wholeNames: Set = ["access", "refresh", "dpop", "wresult"]

  /// Letters that only begin as a stem does.
  private static let otherStems = ["secretar", "tokeniz", "tokenis"]

  /// The ends that need a word of their own, since many words end so.
  private static let shortEndings: Set = ["pin", "pass", "sid", "sig", "cvv", "cvc"]

  /// Words before an ending that make the name a fact's, such as `status_code`, or another word,
  /// such as `monkey` and `unicode`.
  private static let harmless: [String: Set<String>] = [
    "code": [
      "status", "error", "country", "postal", "post", "zip", "language", "lang", "locale",
      "currency",
      "region", "area", "state", "city", "product", "item", "sku", "reason", "response", "result",
      "return", "exit", "color", "colour", "source", "http", "close", "fault", "airport", "airline",
      "iso", "iata", "icao", "category", "type", "event", "bar", "uni", "en", "de", "geo", "op",
      "byte", "trans", "x", "vs", "failure", "problem", "warning", "tax", "unit", "message",
    ],
    "key": [
      "primary", "foreign", "sort", "partition", "cache", "public", "idempotency", "surrogate",
      "object", "routing", "group", "row", "column", "translation", "message", "socket",
      "websocket", "issue",
      "project", "hot", "mon", "tur", "don", "joc", "whis", "index", "property", "dictionary",
    ],
    "auth": [], "session": ["ob", "pos"], "ticket": [], "verifier": [], "pass": ["boarding", "by"],
  ]

  /// The nouns whose plural holds many secrets.
  private static let countedNouns = [
    "token", "cookie", "signature", "jwt", "assertion", "apikey", "accesskey", "privatekey",
  ]

  /// The last words of names whose secrets may be numbers.
  private static let numbers: Set = [
    "pin", "otp", "totp", "cvv", "cvc", "password", "passwd", "passcode", "pwd", "secret", "code",
  ]

  /// Words at the end of a name that tell a fact about a secret, as `token_type` and
  /// `session_start` do.
  private static let facts: Set = [
    "type", "types", "endpoint", "uri", "url", "expires", "expiry", "expiration", "supported",
    "algorithm", "alg", "method", "methods", "count", "length", "size", "limit", "policy", "at",
    "in", "start", "end", "duration", "timeout", "time", "date", "ttl", "lifetime", "version",
    "status", "required", "enabled", "name",
  ]

  /// The facts that are long enough to be found in a name without words, such as `tokentype`.
  private static let joinedFacts = [
    "type", "endpoint", "uri", "url", "expiresin", "expiresat", "expiry", "expiration", "supported",
    "algorithm", "method", "methods",
  ]
}

// MARK: Comparing

extension SecretNames {
  private static func isDescription(_ name: Name) -> Bool {
    guard let last = name.words.last else { return false }
    return name.words.count > 1 && facts.contains(last)
      || joinedFacts.contains(where: last.hasSuffix)
  }

  private static let stemsByFirstByte = Dictionary(grouping: stems.map { Array($0.utf8) }) {
    $0[0]
  }

  private static let otherStemBytes = otherStems.map { Array($0.utf8) }

  private static func containsStem(_ bytes: [UInt8]) -> Bool {
    for (place, byte) in bytes.enumerated() {
      guard let stems = stemsByFirstByte[byte] else { continue }
      let rest = bytes[place...]
      if stems.contains(where: rest.starts), !otherStemBytes.contains(where: rest.starts) {
        return true
      }
    }
    return false
  }

  private static func hasSecretEnding(_ last: String, of name: Name) -> Bool {
    endings.contains { ending in
      guard last.hasSuffix(ending) else { return false }
      let before = last.dropLast(ending.count)
      guard before.isEmpty || !shortEndings.contains(ending) else { return false }
      let word = before.isEmpty ? name.words.dropLast().last ?? "" : String(before)
      return harmless[ending]?.contains(word) != true
    }
  }

  /// A name as its words.
  private struct Name {
    /// The words in lower case, without what separates them and without a number at the end.
    private(set) var words: [String] = []
    private(set) var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ name: String) {
      var letters = Array(name.utf8)
      // Only letters of ASCII part words by their case.
      if letters.contains(where: { $0 >= 0x80 }) { letters = Array(name.lowercased().utf8) }
      while let last = letters.last, last.isASCIIDigit || !Self.isPart(last) {
        letters.removeLast()
      }
      // A name of digits alone is its own word.
      if letters.isEmpty { letters = Array(name.utf8) }
      bytes.reserveCapacity(letters.count)
      var start = 0
      for (place, letter) in letters.enumerated() {
        guard Self.isPart(letter) else {
          endWord(from: &start)
          continue
        }
        if Self.beginsWord(at: place, in: letters) { endWord(from: &start) }
        bytes.append(Self.isUpper(letter) ? letter | 0x20 : letter)
      }
      endWord(from: &start)
    }

    private mutating func endWord(from start: inout Int) {
      guard start < bytes.count else { return }
      words.append(String(decoding: bytes[start...], as: UTF8.self))
      start = bytes.count
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static func isPart(_ byte: UInt8) -> Bool {
      isUpper(byte) || isLower(byte) || byte.isASCIIDigit || byte >= 0x80
    }

    /// Whether a capital begins a word: behind another case, or before a small letter (`APIKey`).
    private static func beginsWord(at place: Int, in letters: [UInt8]) -> Bool {
      guard place > 0, isUpper(letters[place]) else { return false }
      guard isUpper(letters[place - 1]) else { return true }
      return place + 1 < letters.count && isLower(letters[place + 1])
    }
  }
}
