import Foundation

/// A URL in its parts, as stubs compare them: split at its delimiters, nothing decoded.
struct StubURL: Sendable {
  /// In lower case; nil where the text has none.
  let scheme: Substring?
  /// The host, with its port if there is one, in lower case.
  let host: Substring?
  /// Percent-encoded; `/` where there is none.
  let path: Substring
  /// Percent-encoded; nil without a `?`.
  let query: Substring?

  init(_ text: String) {
    var rest = text.prefix { $0 != "#" }
    if let mark = rest.firstIndex(of: "?") {
      query = rest[mark...].dropFirst()
      rest = rest[..<mark]
    } else {
      query = nil
    }
    if let end = rest.firstRange(of: "://") {
      scheme = rest[..<end.lowerBound].lowercased()[...]
      rest = rest[end.upperBound...]
      let authority = rest.prefix { $0 != "/" }
      let afterUser = authority.lastIndex(of: "@").map { authority.index(after: $0) }
      host = authority[(afterUser ?? authority.startIndex)...].lowercased()[...]
      rest = rest[authority.endIndex...]
    } else {
      (scheme, host) = (nil, nil)
    }
    path = rest.isEmpty ? "/" : rest
  }

  /// The query's names and values, decoded; a name alone has no value.
  var queryItems: [StubField] {
    guard let query else { return [] }
    var components = URLComponents()
    components.percentEncodedQuery = String(query)
    return (components.queryItems ?? []).map { StubField(name: $0.name, value: $0.value) }
  }
}
