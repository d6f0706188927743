import Foundation

/// A `Location` as a URL (RFC 9110 §10.2.2).
///
/// Foundation does not resolve it: it keeps the dot segments of an absolute URL, and escapes existing
/// escapes again if they are next to a raw character.
enum RedirectTarget {
  /// Resolves a location against the URL that sent it (RFC 3986 §5.2).
  ///
  /// Characters that are not allowed in a URL are escaped. Existing escapes stay unchanged.
  ///
  /// - Returns: nil for a location that is not an http(s) URL with a host that ``BaseURL`` accepts.
  ///   User info remains, so that the caller can refuse it.
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
