/// The checks that every transport makes before it sends a byte.
///
/// They refuse parts that could change the framing of the request (request smuggling) or would be
/// silently dropped.
///
/// Each check throws a `TransportError` that names the part and the remedy, but never a header's
/// value.
package enum RequestValidation {
  /// The maximum length of a URL, and of all header fields together, in bytes.
  ///
  /// A head of libcurl has at most one mebibyte, and servers accept far less.
  static let maximumLength = 500_000

  /// Checks the method and the headers.
  ///
  /// - Throws: `.invalidRequest` if the method or a name is not a token (RFC 9110 §5.6.2), a value
  ///   has a control character other than a tab (§5.5), the method is `CONNECT`, or a header field
  ///   is one of those that only the transport sets because they frame the message.
  package static func check(
    method: String, headers: some Sequence<(name: String, value: String)>
  ) throws(TransportError) {
    guard isToken(method) else {
      throw refusal("the method is not an RFC 9110 token; pass a word like GET or POST")
    }
    guard method != "CONNECT" else {
      throw refusal("the method CONNECT is for proxies and cannot be requested")
    }
    var bytes = 0
    for header in headers {
      bytes += header.name.utf8.count + header.value.utf8.count
      guard bytes <= maximumLength else {
        throw refusal(
          "its headers are longer than \(maximumLength) bytes; send long data in the body")
      }
      guard isToken(header.name) else {
        throw refusal(
          header.name.isEmpty
            ? "a header's name is empty"
            : "the header name \"\(printable(header.name))\" is not an RFC 9110 token")
      }
      guard !isReserved(header.name) else {
        throw refusal("the header \(header.name) belongs to the transport; leave it out")
      }
      guard header.value.utf8.allSatisfy(isFieldByte) else {
        throw refusal(
          "the value of the header \(header.name) has a line break or another control character; "
            + "trim it, for example where it was read from a file")
      }
    }
  }

  /// Refuses a header field that is present in two spellings, as `allHTTPHeaderFields` allows.
  ///
  /// If both were sent, a server could get two tokens and use either one. The intended one is
  /// unknown, since Foundation finds the spelling that comes first in hash order.
  ///
  /// - Throws: `.invalidRequest` with the name.
  package static func check(spellingsOf names: [String]) throws(TransportError) {
    // Most requests have few fields, and comparing them is faster than lowercasing them.
    if names.count > 16, Set(names.map { $0.lowercased() }).count == names.count { return }
    for (index, name) in names.enumerated() {
      guard names[..<index].contains(where: { HTTPHeaders.isSameName($0, name) }) else { continue }
      throw refusal(
        "the header \(isToken(name) ? name : printable(name)) is present in two spellings; set it "
          + "with settingHeader(_:to:), which replaces both")
    }
  }

  /// Checks the syntax of a URL's text, which must already be percent-encoded.
  ///
  /// - Throws: `.unsupportedURL` if it is not http or https, has no host, has user info, a port
  ///   outside 1…65535, or a character that a URL cannot contain (RFC 3986).
  package static func check(url: String) throws(TransportError) {
    // This gives direct access to contiguous bytes; a string with other storage is copied first.
    var url = url
    if let fault = url.withUTF8(fault(inURL:)) { throw fault }
  }

  private static func fault(inURL bytes: UnsafeBufferPointer<UInt8>) -> TransportError? {
    guard bytes.count <= maximumLength else {
      return refusal(
        url: "it is longer than \(maximumLength) bytes; send long data in the body")
    }
    // Parsers disagree on whether a backslash ends the host, so none is allowed.
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else {
      return refusal(
        url: "it has a blank, a backslash, a control or a non-ASCII character; percent-encode it")
    }
    let schemeLength: Int
    if isPrefix("http://", of: bytes) {
      schemeLength = 7
    } else if isPrefix("https://", of: bytes) {
      schemeLength = 8
    } else {
      return refusal(url: "it does not begin with http:// or https://")
    }
    let authority = bytes.dropFirst(schemeLength).prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    guard !authority.contains(UInt8(ascii: "@")) else {
      return refusal(url: "it has user info; pass credentials in a header")
    }
    let isLiteral = authority.first == UInt8(ascii: "[")
    let hostEnd =
      isLiteral
      ? authority.firstIndex(of: UInt8(ascii: "]")).map { authority.index(after: $0) }
      : authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    guard let hostEnd, hostEnd != authority.startIndex else {
      return refusal(url: "it has no host")
    }
    let port = authority[hostEnd...]
    guard port.isEmpty || isPort(port.dropFirst(), after: port.first) else {
      return refusal(url: "its port is not a number from 1 to 65535")
    }
    return nil
  }

  /// Returns whether a request with this method may run twice without harm (RFC 9110 §9.2.2, and
  /// QUERY).
  package static func isIdempotent(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY": true
    default: false
    }
  }

  private static func isPort(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>, after colon: UInt8?
  ) -> Bool {
    guard colon == UInt8(ascii: ":") else { return false }
    // An empty port is the default one (RFC 3986 §3.2.3).
    guard !digits.isEmpty else { return true }
    guard digits.allSatisfy(\.isASCIIDigit) else { return false }
    return UInt16(String(decoding: digits, as: UTF8.self)).map { $0 > 0 } ?? false
  }

  private static func isPrefix(
    _ prefix: StaticString, of bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { expected in
      zip(expected, bytes).allSatisfy { $0 == $1 || $0 == $1 | 0x20 }
    }
  }

  /// Refuses a field that has one value and is given more than once, in any spelling.
  package static func check(singletonsOf fields: HTTPHeaders) throws(TransportError) {
    guard fields.count > 1 else { return }
    for (place, field) in fields.enumerated() where isSingleton(field.name) {
      let rest = fields[(place + 1)...]
      guard let other = rest.first(where: { HTTPHeaders.isSameName($0.name, field.name) }) else {
        continue
      }
      throw refusal(
        "the header \(field.name) is given twice, as \(field.name) and as \(other.name), and has "
          + "one value; give it once")
    }
  }

  private static func isSingleton(_ name: String) -> Bool {
    singletons.contains { HTTPHeaders.isSameName($0, name) }
  }

  /// The fields of requests that are no lists.
  private static let singletons = [
    "Authorization", "Content-Location", "Content-Type", "Date", "From", "Idempotency-Key",
    "If-Modified-Since", "If-Range", "If-Unmodified-Since", "Last-Event-ID", "Max-Forwards",
    "Proxy-Authorization", "Range", "Referer", "User-Agent",
  ]

  private static func isReserved(_ name: String) -> Bool {
    switch name.utf8.count {
    case 4: HTTPHeaders.isSameName(name, "Host")
    case 10: HTTPHeaders.isSameName(name, "Connection")
    case 14: HTTPHeaders.isSameName(name, "Content-Length")
    case 17: HTTPHeaders.isSameName(name, "Transfer-Encoding")
    default: false
    }
  }

  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
  }

  /// Returns whether a byte may occur in a token (RFC 9110 §5.6.2).
  @inlinable package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "#"),
      UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func isFieldByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  /// Returns a method in a form that is safe to show.
  static func printable(method: String) -> String {
    isToken(method) ? method : printable(method)
  }

  /// Returns only the text before the first invalid byte.
  ///
  /// The rest could be a secret, for example if a whole line was passed as a name.
  private static func printable(_ name: String) -> String {
    String(Substring(name.utf8.prefix(while: isTokenByte).prefix(40))) + "…"
  }

  private static func refusal(_ detail: String) -> TransportError {
    .beforeSending(.invalidRequest, detail)
  }

  private static func refusal(url detail: String) -> TransportError {
    .beforeSending(.unsupportedURL, detail)
  }
}
