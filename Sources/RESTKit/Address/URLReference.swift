/// A URL or a relative reference, in its five parts (RFC 3986 §4.1 and appendix B).
package struct URLReference {
  package var scheme: Substring?
  package var authority: Substring?
  package var path: Substring
  package var query: Substring?
  package var fragment: Substring?

  package init?(_ text: String) {
    var rest = Substring(text)
    if PathEncoding.beginsWithScheme(rest), let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":"))
    {
      scheme = rest[..<colon]
      rest = rest[rest.utf8.index(after: colon)...]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = rest[rest.utf8.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[rest.utf8.index(after: mark)...]
      rest = rest[..<mark]
    }
    if rest.utf8.starts(with: "//".utf8) {
      rest = Substring(rest.utf8.dropFirst(2))
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = rest[..<end]
      rest = rest[end...]
    }
    path = rest
  }

  /// Returns the URL that this reference means relative to `base`, which has a scheme (§5.2.2).
  func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
        } else if path.utf8.first != UInt8(ascii: "/") {
          let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/"))
          target.path = (slash.map { base.path[...$0] } ?? "/") + path
        }
      }
    }
    target.path = Self.removingDotSegments(target.path)
    return target
  }

  /// Removes dot segments (§5.2.4) from a path that is empty or begins with a slash.
  private static func removingDotSegments(_ path: Substring) -> Substring {
    guard !path.isEmpty else { return path }
    var kept: [Substring] = []
    // The path is split by bytes, because a combining mark after a slash makes another Character.
    let segments = path.utf8.dropFirst()
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    for segment in segments {
      if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
    }
    let endsInSlash = segments.last == "." || segments.last == ".."
    return Substring("/" + kept.joined(separator: "/") + (endsInSlash && !kept.isEmpty ? "/" : ""))
  }
}
