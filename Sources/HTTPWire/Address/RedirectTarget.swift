import Foundation

/// A `Location` as a URL (RFC 9110 §10.2.2).
///
/// Foundation does not resolve it: it keeps the dot segments of an absolute URL, and escapes
/// existing escapes again if they are next to a raw character.
package enum RedirectTarget {
  /// Resolves a location against the URL that sent it (RFC 3986 §5.2).
  ///
  /// Characters that are not allowed in a URL are escaped, and so is a percent sign that begins no
  /// escape. Existing escapes stay unchanged.
  ///
  /// - Returns: nil for a location that is not an http(s) URL with a host that ``BaseURL`` accepts.
  ///   User info remains, so that the caller can refuse it.
  package static func url(_ location: String, from source: URL) -> URL? {
    guard !location.isEmpty, let base = URLReference(source.absoluteString) else { return nil }
    guard let target = URLReference(location)?.resolved(against: base),
      let scheme = target.scheme, let authority = target.authority,
      let origin = origin(scheme, authority)
    else { return nil }
    let path = target.path.isEmpty ? "/" : escaped(target.path)
    let query = target.query.map { "?" + escaped($0) } ?? ""
    let fragment = target.fragment.map { "#" + escaped($0) } ?? ""
    return URL(string: origin + path + query + fragment, encodingInvalidCharacters: false)
  }

  /// Returns the checked scheme and authority in their spelling.
  ///
  /// Names beyond ASCII become IDNA.
  private static func origin(_ scheme: Substring, _ authority: Substring) -> String? {
    let bytes = authority.utf8
    let at = bytes.lastIndex(of: UInt8(ascii: "@"))
    var place = at.map { authority[bytes.index(after: $0)...] } ?? authority
    // An empty port is the default one (RFC 3986 §3.2.3).
    if place.utf8.last == UInt8(ascii: ":") { place = Substring(place.utf8.dropLast()) }
    do throws(URLJoinError) {
      let checked = try BaseURL("\(scheme)://\(place)")
      guard at == nil else { return "\(scheme)://user@\(place)" }
      let isASCII = place.utf8.allSatisfy { $0 < 0x80 }
      return "\(scheme)://" + (isASCII ? String(place) : checked.authority)
    } catch {
      return nil
    }
  }

  private static func escaped(_ part: Substring) -> String {
    var text = ""
    var rest = part.utf8
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[percent...].dropFirst().prefix(2)
      let isEscape = digits.count == 2 && digits.allSatisfy { $0.hexDigitValue != nil }
      text += plain(rest[..<percent]) + (isEscape ? "%" : "%25")
      rest = rest[percent...].dropFirst()
    }
    return text + plain(rest)
  }

  private static func plain(_ bytes: Substring.UTF8View) -> String {
    String(percentEncoding: bytes) { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"): true
      default: byte.isPathCharacter
      }
    }
  }
}

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
