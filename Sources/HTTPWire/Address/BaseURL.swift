import Foundation

/// A base URL of an API: checked once, then joined with any number of endpoints.
///
/// Each resulting URL has the base's scheme, host and port, and a path that begins with the base's
/// path, for any endpoint.
///
/// The text must be absolute, with `http` or `https` in any case and a host. It may have a port
/// from 1 to 65535 and a path. It must not have user info, a query or a fragment. Scheme and host
/// become lower case. The port stays unchanged, even a default one. The path follows the rules of
/// ``EndpointPath``, except that its first segment may have a `:`.
package struct BaseURL: Hashable, Sendable {
  /// The maximum length of a base URL, in bytes.
  static let maximumLength = 8_192

  /// The URL in its normal form, up to the position of an endpoint's slash.
  private let prefix: String
  /// The place of host and port in ``prefix``, in bytes.
  private let authorityPlace: Range<Int>
  /// The text after ``prefix`` if there is no endpoint.
  private let ending: String

  /// Reads a base URL from configuration.
  ///
  /// - Throws: ``URLJoinError`` about the base URL. The error has no text of the base URL.
  package init(_ text: String) throws(URLJoinError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw Self.error(
        "is longer than \(Self.maximumLength) bytes", remedy: "check its source")
    }
    // Each request reads a base URL, and nearly every one is in its normal form.
    let normal = text.utf8.withContiguousStorageIfAvailable(NormalBaseURL.init) ?? nil
    self = if let normal { Self(text, normal) } else { try Self(unusual: text) }
  }

  private init(_ text: String, _ normal: NormalBaseURL) {
    prefix = normal.endsInSlash ? String(text.dropLast()) : text
    authorityPlace = normal.authority
    ending = normal.endsInSlash || !normal.hasPath ? "/" : ""
  }

  private init(unusual text: String) throws(URLJoinError) {
    let (scheme, afterScheme) = try Self.scheme(of: text)
    let authorityEnd =
      afterScheme.utf8.firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
          || $0 == UInt8(ascii: "\\")
      } ?? afterScheme.endIndex
    let (host, port) = try Self.hostAndPort(of: afterScheme[..<authorityEnd])

    let tail = afterScheme[authorityEnd...]
    if tail.utf8.contains(UInt8(ascii: "?")) {
      throw Self.error("has a query", remedy: "remove it, and pass query: with each request")
    }
    if tail.utf8.contains(UInt8(ascii: "#")) {
      throw Self.error("has a fragment", remedy: "remove it")
    }
    var path = try PathEncoding.encode(tail.droppingFirstSlash, of: text, part: .baseURL)
    let endsInSlash = path.utf8.last == UInt8(ascii: "/")
    if endsInSlash { path.removeLast() }
    if !path.isEmpty { path = "/" + path }

    let beforePath = "\(scheme)://\(host.text)" + (port.map { ":\($0)" } ?? "")
    prefix = beforePath + path
    authorityPlace = (scheme.utf8.count + 3)..<beforePath.utf8.count
    ending = endsInSlash || path.isEmpty ? "/" : ""
  }

  /// `http` or `https`.
  package var scheme: String { authorityPlace.lowerBound == 8 ? "https" : "http" }

  /// The host and port in the form of a URL.
  package var authority: String { String(authorityText) }

  /// The host in lower case, an IPv6 address without brackets.
  package var host: String {
    let text = authorityText
    let host = text[..<(portColon ?? text.endIndex)]
    return String(host.first == "[" ? host.dropFirst().dropLast() : host)
  }

  var port: Int? {
    portColon.flatMap { UInt16(authorityText[$0...].dropFirst()) }.map { Int($0) }
  }

  /// The encoded path without a slash at its end: empty, or such as `/v1`.
  package var path: String { String(Substring(prefix.utf8.dropFirst(authorityPlace.upperBound))) }

  private var authorityText: Substring {
    Substring(prefix.utf8.prefix(authorityPlace.upperBound).dropFirst(authorityPlace.lowerBound))
  }

  private var portColon: Substring.Index? {
    let text = authorityText
    return text[(text.lastIndex(of: "]") ?? text.startIndex)...].firstIndex(of: ":")
  }

  /// Returns the URL of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: A path according to ``EndpointPath``. An empty path and `/` mean the base URL
  ///     itself. It ends in a slash if the base URL did, or if it has no path.
  ///   - query: Names and values, not encoded. ``QueryEncoding`` encodes them.
  /// - Throws: ``URLJoinError`` about the endpoint or the query.
  package func url(endpoint: String, query: QueryItems = []) throws(URLJoinError) -> URL {
    try url(path: EndpointPath(endpoint), query: query)
  }

  /// Returns the URL of an endpoint with a checked path.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL.
  ///   - query: Names and values, not encoded. ``QueryEncoding`` encodes them.
  /// - Throws: ``URLJoinError`` about the query.
  package func url(path: EndpointPath, query: QueryItems = []) throws(URLJoinError) -> URL {
    var text = ""
    text.reserveCapacity(prefix.utf8.count + 1 + path.encoded.utf8.count)
    text += prefix
    if path.encoded.isEmpty {
      text += ending
    } else {
      text += "/"
      text += path.encoded
    }
    try QueryEncoding.append(query, to: &text)
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      throw URLJoinError(
        .endpoint, text: path.encoded, "makes a URL that Foundation does not accept",
        remedy: "write it in ASCII, with escapes")
    }
    return url
  }
}

extension BaseURL {
  private static let example = "\"https://api.example.com/v1\""

  private static func error(_ reason: String, remedy: String) -> URLJoinError {
    URLJoinError(.baseURL, reason, remedy: remedy)
  }

  private static func scheme(of text: String) throws(URLJoinError) -> (String, Substring) {
    guard let first = text.unicodeScalars.first else {
      throw error("is empty", remedy: "write it in full, such as \(example)")
    }
    if first.isBlank {
      throw error("begins with whitespace", remedy: "remove it")
    }
    let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let rest = text[end...]
    guard PathEncoding.beginsWithScheme(Substring(text)), rest.utf8.starts(with: "://".utf8) else {
      throw error(
        "is not an absolute http(s) URL",
        remedy: "write it with scheme and host, such as \(example)")
    }
    let scheme = text[..<end].lowercased()
    guard scheme == "http" || scheme == "https" else {
      throw error(
        "has a scheme other than http and https", remedy: "write it in full, such as \(example)")
    }
    return (scheme, Substring(rest.utf8.dropFirst(3)))
  }

  private static func hostAndPort(
    of authority: Substring
  ) throws(URLJoinError) -> (URLHost, Int?) {
    if authority.utf8.contains(UInt8(ascii: "@")) {
      throw error(
        "has user info before its host",
        remedy: "remove all up to \"@\", and send credentials in a header")
    }
    let isBracketed = authority.utf8.first == UInt8(ascii: "[")
    let hostEnd =
      if isBracketed {
        authority.utf8.firstIndex(of: UInt8(ascii: "]")).map(authority.utf8.index(after:))
          ?? authority.endIndex
      } else {
        authority.utf8.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
      }
    let hostText = authority[..<hostEnd]
    let rest = authority[hostEnd...]
    guard !hostText.isEmpty else {
      throw error("has no host", remedy: "write it in full, such as \(example)")
    }
    let digits = Substring(rest.utf8.dropFirst())
    if !isBracketed, digits.utf8.contains(UInt8(ascii: ":")) {
      throw error(
        "has a host with colons",
        remedy: "write an IPv6 address in brackets, such as \"http://[::1]:8080\"")
    }
    let host =
      isBracketed
      ? URLHost(ipv6: Substring(hostText.utf8.dropFirst().dropLast())) : URLHost(name: hostText)
    guard let host, !isBracketed || hostText.utf8.last == UInt8(ascii: "]") else {
      throw error(
        "has a malformed host",
        remedy: "write a host name or an IP address, such as \(example) or \"http://[::1]:8080\"")
    }
    guard !rest.isEmpty else { return (host, nil) }
    guard rest.utf8.first == UInt8(ascii: ":"), digits.utf8.count <= 5,
      digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0
    else {
      throw error(
        "has a port that is not a number from 1 to 65535",
        remedy: "correct it, or remove the colon")
    }
    return (host, Int(port))
  }
}

/// What the bytes of a base URL in its normal form say.
///
/// In this form the text is the URL. One pass over a buffer takes a tenth of the time of
/// ``BaseURL``'s checks of any text.
private struct NormalBaseURL {
  /// The place of host and port.
  let authority: Range<Int>
  let hasPath: Bool
  let endsInSlash: Bool

  /// - Returns: nil for a text that is not surely a base URL in its normal form.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = Self.lengthOfScheme(text) else { return nil }
    let rest = text[start...]
    let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
    let colon = rest[..<end].firstIndex(of: UInt8(ascii: ":"))
    guard URLHost.isNormalName(UnsafeBufferPointer(rebasing: text[start..<(colon ?? end)])),
      colon.map({ Self.isNormalPort(text[$0..<end].dropFirst()) }) ?? true
    else { return nil }
    let path = UnsafeBufferPointer(rebasing: text[end...].dropFirst())
    guard PathEncoding.isPlain(path) else { return nil }
    authority = start..<end
    hasPath = !path.isEmpty
    endsInSlash = end < text.endIndex && text.last == UInt8(ascii: "/")
  }

  private static func lengthOfScheme(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    if text.starts(with: "https://".utf8) { return 8 }
    return text.starts(with: "http://".utf8) ? 7 : nil
  }

  private static func isNormalPort(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // Five digits may be too large a number.
    1...4 ~= digits.count && digits.first != UInt8(ascii: "0")
      && digits.allSatisfy(\.isASCIIDigit)
  }
}

/// The host of a base URL, checked and in its normal form.
struct URLHost: Hashable, Sendable {
  /// The host in lower case; an IPv6 address has no brackets.
  let name: String
  let isIPv6: Bool

  /// The host in the form of a URL.
  var text: String { isIPv6 ? "[\(name)]" : name }

  /// Reads a name or an IPv4 address.
  ///
  /// A name beyond ASCII becomes its IDNA form, as in Foundation. A dot at the end is kept.
  ///
  /// - Returns: nil for a text that is not a name by RFC 1123: letters, digits, hyphens, and also
  ///   underscores, in labels of 1 to 63 bytes, up to 253 bytes in all.
  init?(name text: some StringProtocol) {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    guard let ascii = isASCII ? String(text) : Self.idna(String(text)) else { return nil }
    let name = ascii.lowercased()
    guard Self.isName(name.utf8) else { return nil }
    self.name = name
    self.isIPv6 = false
  }

  /// Reads the text between brackets: RFC 3986, section 3.2.2, without zones.
  ///
  /// - Returns: nil for a text that is not an IPv6 address by RFC 4291, section 2.2.
  init?(ipv6 text: some StringProtocol) {
    guard text.utf8.count <= 45 else { return nil }
    let halves = String(text).lowercased().components(separatedBy: "::")
    guard halves.count <= 2 else { return nil }
    var count = 0
    for (place, half) in halves.enumerated() where !half.isEmpty {
      let groups = half.split(separator: ":", omittingEmptySubsequences: false)
      for (index, group) in groups.enumerated() {
        let isLast = place == halves.count - 1 && index == groups.count - 1
        if isLast, group.contains(".") {
          guard Self.isIPv4(group) else { return nil }
          count += 2
        } else {
          guard 1...4 ~= group.utf8.count, group.utf8.allSatisfy({ $0.hexDigitValue != nil })
          else { return nil }
          count += 1
        }
      }
    }
    guard halves.count == 2 ? count <= 7 : count == 8 else { return nil }
    name = text.lowercased()
    isIPv6 = true
  }

  /// Whether a text is surely a name in its normal form.
  ///
  /// A buffer is read several times faster than the text, and each request reads a host.
  fileprivate static func isNormalName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= 63, text.last != UInt8(ascii: ".") else { return false }
    var previous = UInt8(ascii: ".")
    for byte in text {
      if byte == UInt8(ascii: ".") {
        guard previous != UInt8(ascii: ".") else { return false }
      } else {
        guard
          byte.isASCIILowercaseLetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
        else { return false }
      }
      previous = byte
    }
    return !text.isEmpty
  }

  private static func isName(_ text: String.UTF8View) -> Bool {
    var label = 0
    for byte in text {
      if byte == UInt8(ascii: ".") {
        guard 1...63 ~= label else { return false }
        label = 0
      } else {
        guard
          byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
        else { return false }
        label += 1
      }
    }
    let endsInDot = label == 0
    return label <= 63 && !text.isEmpty && text.count - (endsInDot ? 1 : 0) <= 253
  }

  private static func isIPv4(_ text: Substring) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { number in
        number.utf8.allSatisfy(\.isASCIIDigit)
          && (number.utf8.count == 1 || number.utf8.first != UInt8(ascii: "0"))
          && UInt8(number) != nil
      }
  }

  private static func idna(_ name: String) -> String? {
    let scheme = "https://"
    guard let text = URL(string: "\(scheme)\(name)/")?.absoluteString, text.hasPrefix(scheme),
      text.hasSuffix("/")
    else { return nil }
    // The caller checks the letters, so that it finds a separator that the mapping made.
    return String(text.dropFirst(scheme.count).dropLast())
  }
}
