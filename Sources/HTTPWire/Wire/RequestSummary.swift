import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a text may show it: its method and its location, without any secret.
///
/// The URL's user info, query and fragment are left out. Headers and body are not part of it.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  public let method: HTTPMethod
  /// Scheme, host, port and path.
  public let location: String

  public init(method: HTTPMethod, url: URL?) {
    self.method = method
    location = url.map(Self.location) ?? "(no URL)"
  }

  /// - Parameter request: The request. Its method is GET if it names none.
  public init(_ request: URLRequest) {
    self.init(method: request.method, url: request.url)
  }

  public var description: String { "\(method) \(location)".printable }

  // Works on bytes and returns a URL without secrets unchanged: each call makes a summary.
  private static func location(of url: URL) -> String {
    let text = url.absoluteString
    let isFit = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy {
        $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "@")
      }
    }
    if isFit == true { return text }
    let bytes = text.utf8
    let end =
      bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    guard let start = authorityStart(in: bytes[..<end]) else { return String(text[..<end]) }
    let authority = bytes[start..<end].prefix { $0 != UInt8(ascii: "/") }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(text[..<end]) }
    return String(text[..<start]) + text[bytes.index(after: at)..<end]
  }

  private static func authorityStart(in text: Substring.UTF8View) -> String.Index? {
    // A reference without a scheme can have user info, too (RFC 3986 §4.2).
    if text.starts(with: "//".utf8) { return text.dropFirst(2).startIndex }
    var rest = text
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[colon...].dropFirst()
      if rest.starts(with: "//".utf8) { return rest.dropFirst(2).startIndex }
    }
    return nil
  }
}

extension RequestSummary {
  /// The location without scheme, host and port.
  package var path: String {
    guard let authority = location.range(of: "://")?.upperBound else { return location }
    let path = location[authority...].drop { $0 != "/" }
    return path.isEmpty ? "/" : String(path)
  }
}
