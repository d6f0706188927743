import Foundation

/// A `Location` as a URL (RFC 9110 §10.2.2).
///
/// It is resolved here and not by Foundation, which keeps the dot segments of an absolute URL, and
/// which escapes what is escaped already where a raw character stands beside it.
enum RedirectTarget {
  /// Resolves a location against the URL that sent it (RFC 3986 §5.2).
  ///
  /// What may not stand in a URL is escaped; escapes that are there stay as they are.
  ///
  /// - Returns: nil for what is no http(s) URL of a host that ``BaseURL`` takes; user info is left
  ///   in, for the caller to refuse.
  static func url(_ location: String, from source: URL) -> URL? {
    guard !location.isEmpty, hasWholeEscapes(location),
      let base = URLReference(source.absoluteString)
    else { return nil }
    guard let target = URLReference(location)?.resolved(against: base),
      let scheme = target.scheme, let authority = target.authority,
      let origin = origin(scheme, authority)
    else { return nil }
    let path = target.path.isEmpty ? "/" : escaped(target.path)
    let query = target.query.map { "?" + escaped($0) } ?? ""
    let fragment = target.fragment.map { "#" + escaped($0) } ?? ""
    return URL(string: origin + path + query + fragment, encodingInvalidCharacters: false)
  }

  /// Scheme and authority as they are spelled, once they are checked; names beyond ASCII as IDNA.
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
    String(percentEncoding: part.utf8) { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "%"): true
      default: byte.isPathCharacter
      }
    }
  }

  private static func hasWholeEscapes(_ location: String) -> Bool {
    var rest = Substring(location).utf8
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      let digits = rest[percent...].dropFirst().prefix(2)
      guard digits.count == 2, digits.allSatisfy({ $0.hexDigitValue != nil }) else { return false }
      rest = rest[digits.endIndex...]
    }
    return true
  }
}
