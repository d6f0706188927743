/// The reason why a base URL, an endpoint and a query do not make a URL, with the remedy.
package struct URLJoinError: Error, Hashable, Sendable {
  /// The part with the fault.
  package enum Part: String, Sendable {
    case baseURL = "base URL"
    case endpoint = "endpoint"
    case pathParameter = "path parameter"
    case query = "query"
  }

  let part: Part
  /// The offending text in a form for logs; nil if it may contain a secret.
  let excerpt: String?
  package let reason: String
  package let remedy: String

  /// - Parameters:
  ///   - part: The part with the fault.
  ///   - text: The offending text, if it may be shown. A base URL may not: it comes from
  ///     configuration, which may have passwords and keys in and next to it.
  ///   - reason: The fault, to be read after the name of the part.
  ///   - remedy: The remedy, as a command.
  init(_ part: Part, text: String? = nil, _ reason: String, remedy: String) {
    self.part = part
    self.excerpt = text.map(Self.excerpt)
    self.reason = reason
    self.remedy = remedy
  }

  /// Returns one line of ASCII that ends before a query, a fragment or user info.
  private static func excerpt(of text: String) -> String {
    let limit = 60
    let mayHoldPassword = text.unicodeScalars.prefix(4_096).contains("@")
    var shown = ""
    var previous: Unicode.Scalar = " "
    for (count, scalar) in text.unicodeScalars.enumerated() {
      guard count < limit else { return shown + "…" }
      shown += scalar.escaped(asASCII: true)
      if scalar == "?" || scalar == "#" { return shown + "…" }
      if mayHoldPassword, scalar == ":" || (scalar == "/" && previous == "/") { return shown + "…" }
      previous = scalar
    }
    return shown
  }
}

extension URLJoinError: CustomStringConvertible {
  package var description: String {
    let subject = excerpt.map { "\(part.rawValue) \"\($0)\"" } ?? part.rawValue
    return "\(subject) \(reason): \(remedy)"
  }
}
