import Foundation
import HTTPWire

/// The key of stored responses (RFC 9111 §2): the target, for one principal, over one road.
///
/// The method is not part of it: a stored response to GET also answers a HEAD.
struct CacheKey: Hashable, Sendable {
  /// The target URI without its fragment, with scheme and host in lower case.
  let url: String
  let partition: CachePartition
}

extension CacheKey {
  /// - Returns: nil for a URL whose responses are never stored.
  init?(_ url: URL, partition: CachePartition) {
    guard let target = Self.target(url) else { return nil }
    self.init(url: target, partition: partition)
  }

  /// Returns a URL in its normal form (RFC 9110 §4.2.3): scheme and host in lower case, no default
  /// port, `/` for an empty path, no fragment, and escapes as RFC 3986 §6.2.2 writes them.
  ///
  /// - Returns: nil for a URL that is not http(s), and for one with user info, which is a secret.
  static func target(_ url: URL) -> String? { target(url.absoluteString) }

  /// The same for the text of a URL, which Foundation makes anew each time it is asked.
  static func target(_ text: String) -> String? {
    if isPlain(text) { return text }
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    let authority = bytes.index(colon, offsetBy: 3)
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let path =
      bytes[authority...].firstIndex { byte in
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      } ?? bytes.endIndex
    let end = bytes[path...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let place = bytes[authority..<path]
    guard !place.isEmpty, !place.contains(UInt8(ascii: "@")) else { return nil }
    let host = host(text[authority..<path], scheme)
    let isRooted = path < bytes.endIndex && bytes[path] == UInt8(ascii: "/")
    let rest = PercentEncoding.normalized(text[path..<end])
    if end == bytes.endIndex, isRooted, host == text[authority..<path], scheme == text[..<colon],
      rest == nil
    {
      return text
    }
    return "\(scheme)://\(host)\(isRooted ? "" : "/")\(rest ?? String(text[path..<end]))"
  }

  /// Whether a URL is in its normal form, as most are.
  ///
  /// It is a quick look: nothing else gets a yes, but a URL with a port or an escape gets a no.
  private static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      let scheme = bytes.starts(with: "https://".utf8) ? 8 : 7
      guard scheme == 8 || bytes.starts(with: "http://".utf8) else { return false }
      var path = scheme
      while path < bytes.count, bytes[path].isPartOfPlainHost { path += 1 }
      guard path > scheme, path < bytes.count, bytes[path] == UInt8(ascii: "/") else {
        return false
      }
      return !bytes[path...].contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "#") }
    }
  }

  private static func host(_ authority: Substring, _ scheme: String) -> String {
    let host = authority.lowercased()
    let port = scheme == "https" ? ":443" : ":80"
    if host.hasSuffix(port) { return String(host.dropLast(port.count)) }
    return host.hasSuffix(":") ? String(host.dropLast()) : host
  }
}

extension UInt8 {
  /// Whether the byte is a part of a host in lower case, and of no port.
  fileprivate var isPartOfPlainHost: Bool {
    isASCIILowercaseLetter || isASCIIDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
  }
}

/// What a cache keeps apart.
typealias CachePartition = RequestIdentity
