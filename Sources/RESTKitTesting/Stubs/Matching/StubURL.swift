import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

  /// The URL of a request; an empty one where it has none.
  init(of request: URLRequest) {
    self.init(request.url?.absoluteString ?? "")
  }

  // By bytes: each request that is not spelled as a stub has it is split.
  init(_ text: String) {
    let bytes = text.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
    query = mark < end ? text[bytes.index(after: mark)..<end] : nil

    var start = text.startIndex
    if let colon = bytes[..<mark].firstIndex(of: UInt8(ascii: ":")),
      bytes[colon..<mark].starts(with: "://".utf8)
    {
      scheme = text[..<colon].lowercasedASCII
      let authority = bytes[bytes.index(colon, offsetBy: 3)..<mark]
      start = authority.firstIndex(of: UInt8(ascii: "/")) ?? mark
      let user = authority[..<start].lastIndex(of: UInt8(ascii: "@"))
      host = text[(user.map(bytes.index(after:)) ?? authority.startIndex)..<start].lowercasedASCII
    } else {
      (scheme, host) = (nil, nil)
    }
    path = start < mark ? text[start..<mark] : "/"
  }

  /// The query's names and values, decoded; a name alone has no value.
  var queryItems: [StubField] {
    guard let query else { return [] }
    var components = URLComponents()
    components.percentEncodedQuery = String(query)
    return (components.queryItems ?? []).map { StubField(name: $0.name, value: $0.value) }
  }
}

extension Substring {
  /// Itself where it has no capital letter, as schemes and hosts mostly have none.
  fileprivate var lowercasedASCII: Substring {
    utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      ? Substring(lowercased()) : self
  }
}
