/// Why a base URL, an endpoint and a query do not make a URL, and what to do about it.
struct URLJoinError: Error, Hashable, Sendable {
  /// What the fault is in.
  enum Part: String, Sendable {
    case baseURL = "base URL"
    case endpoint = "endpoint"
    case pathParameter = "path parameter"
    case query = "query"
  }

  let part: Part
  /// The offending text, made fit for a log, or nil where it may hold a secret.
  let excerpt: String?
  let reason: String
  let remedy: String

  /// - Parameters:
  ///   - part: What the fault is in.
  ///   - text: The offending text, if it may be told. Of a base URL nothing may: it comes from
  ///     configuration, where passwords and keys stand next to it and in it.
  ///   - reason: What is wrong, to be read after the name of the part.
  ///   - remedy: What to do, as a command.
  init(_ part: Part, text: String? = nil, _ reason: String, remedy: String) {
    self.part = part
    self.excerpt = text.map(Self.excerpt)
    self.reason = reason
    self.remedy = remedy
  }

  /// A text of one line of ASCII that ends before a query, a fragment or user info.
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
  var description: String {
    let subject = excerpt.map { "\(part.rawValue) \"\($0)\"" } ?? part.rawValue
    return "\(subject) \(reason): \(remedy)"
  }
}
