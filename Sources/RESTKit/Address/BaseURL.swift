import Foundation

/// A base URL of an API: checked once, then joined with any number of endpoints.
///
/// Each resulting URL has the base's scheme, host and port, and a path that begins with the base's
/// path, for any endpoint.
///
/// The text must be absolute, with `http` or `https` in any case and a host. It may have a port from 1
/// to 65535 and a path. It must not have user info, a query or a fragment. Scheme and host become lower
/// case. The port stays unchanged, even a default one. The path follows the rules of ``EndpointPath``,
/// except that its first segment may have a `:`.
struct BaseURL: Hashable, Sendable {
  /// The maximum length of a base URL, in bytes.
  static let maximumLength = 8_192

  /// `http` or `https`.
  let scheme: String
  /// The host in lower case, an IPv6 address without brackets.
  let host: String
  let port: Int?
  /// The encoded path without a slash at its end: empty, or such as `/v1`.
  let path: String
  /// The host and port in the form of a URL.
  let authority: String

  /// The URL up to the position of an endpoint's slash.
  private let prefix: String
  /// The text after ``prefix`` if there is no endpoint.
  private let ending: String

  /// Reads a base URL from configuration.
  ///
  /// - Throws: ``URLJoinError`` about the base URL. The error has no text of the base URL.
  init(_ text: String) throws(URLJoinError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw Self.error(
        "is longer than \(Self.maximumLength) bytes", remedy: "check its source")
    }
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

    self.scheme = scheme
    self.host = host.name
    self.port = port
    self.path = path
    authority = host.text + (port.map { ":\($0)" } ?? "")
    prefix = "\(scheme)://\(authority)\(path)"
    ending = endsInSlash || path.isEmpty ? "/" : ""
  }

  /// Returns the URL of an endpoint.
  ///
  /// - Parameters:
  ///   - endpoint: A path according to ``EndpointPath``. An empty path and `/` mean the base URL
  ///     itself. It ends in a slash if the base URL did, or if it has no path.
  ///   - query: Names and values, not encoded. ``QueryEncoding`` encodes them.
  /// - Throws: ``URLJoinError`` about the endpoint or the query.
  func url(endpoint: String, query: QueryItems = []) throws(URLJoinError) -> URL {
    try url(path: EndpointPath(endpoint), query: query)
  }

  /// Returns the URL of an endpoint with a checked path.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL.
  ///   - query: Names and values, not encoded. ``QueryEncoding`` encodes them.
  /// - Throws: ``URLJoinError`` about the query.
  func url(path: EndpointPath, query: QueryItems = []) throws(URLJoinError) -> URL {
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
