/// The path of an endpoint below a base URL, checked and percent-encoded.
///
/// The accepted text, and its encoding:
/// - one `/` at the beginning makes no difference, one at the end is kept;
/// - existing escapes stay unchanged, in their case; nothing is encoded twice;
/// - characters that RFC 3986, section 3.3, allows in a path stay unchanged, such as `@`, `:`, `;`,
///   `=` and `+`. So a first segment may have a method behind a colon: `accounts:signUp`;
/// - all other characters are encoded as UTF-8, without Unicode normalization: the composed and the
///   decomposed form of a letter remain two paths, and full-width `／` is an ordinary letter.
///
/// Text that could leave the base or is ambiguous is refused:
/// - `.` and `..` as segments, also written `%2e`, and also before a `;`, which some servers drop;
/// - empty segments, so `//` anywhere;
/// - a URL in place of a path: `http:` or `https:` at the beginning, or another scheme with `//` or
///   nothing behind its colon;
/// - `?`, `#`, `\`;
/// - raw whitespace, byte order marks and control characters of all of Unicode;
/// - `%2F`, `%5C`, `%7F` and `%00` to `%1F`: servers disagree on their meaning in a path. Use
///   ``append(segment:)`` for a value with such characters;
/// - a `%` without two hexadecimal digits;
/// - more than ``maximumLength`` bytes.
package struct EndpointPath: Hashable, Sendable {
  /// The maximum length of an encoded path, in bytes.
  ///
  /// Servers accept some 8,000, so a longer path is a mistake.
  static let maximumLength = 65_535

  /// The path without a slash at its beginning, in the form of a URL.
  private(set) var encoded: String

  /// - Throws: ``URLJoinError`` about the endpoint.
  init(_ text: String) throws(URLJoinError) {
    let relative = text.droppingFirstSlash
    guard !PathEncoding.beginsAsURL(relative) else {
      throw URLJoinError(
        .endpoint, text: text, "has a scheme",
        remedy: "give only the path below the base URL, and write the \":\" of a first segment"
          + " as %3A")
    }
    encoded = try PathEncoding.encode(relative, of: text, part: .endpoint)
  }

  /// - Throws: ``URLJoinError`` about the endpoint, or about a path parameter. The error does not
  ///   have the parameter's value.
  init(_ parts: [ResourcePath.StringInterpolation.Part]) throws(URLJoinError) {
    // With a letter in place of each value, this is an ordinary path.
    _ = try EndpointPath(
      parts.reduce(into: "") { text, part in
        if case .path(let literal) = part { text += literal } else { text += "v" }
      })
    var text = ""
    for part in parts {
      switch part {
      case .path(let literal):
        text += PathEncoding.escaped(text.isEmpty ? literal.droppingFirstSlash : Substring(literal))
      case .value(let value):
        guard !value.isEmpty else { throw Self.emptyParameter }
        guard value.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
        text.appendEncodingAllButUnreserved(value)
      }
    }
    guard text.utf8.count <= Self.maximumLength else { throw Self.tooLong(.endpoint) }
    for segment in text.utf8.split(separator: UInt8(ascii: "/")) {
      if let dots = PathEncoding.dots(in: Substring(segment).utf8) {
        throw Self.dotParameter(String(repeating: ".", count: dots))
      }
    }
    encoded = text
  }

  /// Appends a value as exactly one segment.
  ///
  /// All but unreserved characters are encoded, so that `a/b` becomes `a%2Fb` and `%2e` becomes
  /// `%252e`.
  ///
  /// - Parameter value: The value, not encoded. It must not be empty, `.` or `..`, because no
  ///   encoding makes a segment of these.
  /// - Throws: ``URLJoinError`` about the path parameter. The error does not have the value.
  mutating func append(segment value: String) throws(URLJoinError) {
    guard !value.isEmpty else { throw Self.emptyParameter }
    guard value != ".", value != ".." else { throw Self.dotParameter(value) }
    guard value.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
    var longer = encoded
    if !longer.isEmpty, longer.utf8.last != UInt8(ascii: "/") { longer += "/" }
    longer.appendEncodingAllButUnreserved(value)
    guard longer.utf8.count <= Self.maximumLength else { throw Self.tooLong(.pathParameter) }
    encoded = longer
  }

  /// Appends the segments of another path.
  ///
  /// - Throws: ``URLJoinError`` about the endpoint, if the combined path is too long.
  mutating func append(_ path: EndpointPath) throws(URLJoinError) {
    guard !path.encoded.isEmpty else { return }
    let needsSlash = !encoded.isEmpty && encoded.utf8.last != UInt8(ascii: "/")
    let longer = encoded + (needsSlash ? "/" : "") + path.encoded
    guard longer.utf8.count <= Self.maximumLength else { throw Self.tooLong(.endpoint) }
    encoded = longer
  }

  private static let emptyParameter = URLJoinError(
    .pathParameter, "is empty", remedy: "pass a value, or name another endpoint")

  private static func dotParameter(_ segment: String) -> URLJoinError {
    URLJoinError(
      .pathParameter, "is \"\(segment)\", which would change the path",
      remedy: "check the value before it is used")
  }

  static func tooLong(_ part: URLJoinError.Part) -> URLJoinError {
    URLJoinError(
      part, "makes a path of more than \(maximumLength) bytes",
      remedy: "send long data as a query or a body")
  }
}

/// The checks and the encoding of paths, for base URLs and endpoints.
enum PathEncoding {
  /// Whether `text` begins with a scheme: RFC 3986, section 3.1.
  static func beginsWithScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first.isASCIILetter,
      // The colon is searched for in a buffer, which is faster than the text.
      text.utf8.withContiguousStorageIfAvailable({ $0.contains(UInt8(ascii: ":")) }) != false
    else { return false }
    let end = text.utf8.first { byte in
      !byte.isASCIILetter && !byte.isASCIIDigit && byte != UInt8(ascii: "+")
        && byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".")
    }
    return end == UInt8(ascii: ":")
  }

  /// Whether `text` begins as a URL does, and not as a path whose first segment has a colon.
  static func beginsAsURL(_ text: Substring) -> Bool {
    guard beginsWithScheme(text), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return false
    }
    let rest = text.utf8[colon...].dropFirst()
    return rest.isEmpty || rest.starts(with: "//".utf8)
      || ["http", "https"].contains(text[..<colon].lowercased())
  }

  /// Encodes a path by the rules of ``EndpointPath``.
  ///
  /// - Parameters:
  ///   - path: The path without a slash at its beginning.
  ///   - text: The whole text, for the error.
  ///   - part: The part that the path belongs to, for the error.
  /// - Returns: The encoded path. It is usually the same text, because nothing needs an escape.
  static func encode(
    _ path: Substring, of text: String, part: URLJoinError.Part
  ) throws(URLJoinError) -> String {
    let checker = PathChecker(text: text, part: part)
    guard path.utf8.count <= EndpointPath.maximumLength else { throw EndpointPath.tooLong(part) }
    guard try checker.needsEncoding(path) else { return String(path) }
    try checker.checkScalars(of: path)

    let encoded = escaped(path)
    guard encoded.utf8.count <= EndpointPath.maximumLength else { throw EndpointPath.tooLong(part) }
    return encoded
  }

  /// Whether a path is surely allowed as it is.
  ///
  /// A buffer is read several times faster than the text, and each request reads two paths.
  static func isPlain(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in path {
      let isFirst = previous == UInt8(ascii: "/")
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") {
        guard !isFirst else { return false }
      } else {
        guard byte.isPathCharacter else { return false }
      }
      previous = byte
    }
    return true
  }

  /// Returns a checked path with the necessary escapes.
  static func escaped(_ path: Substring) -> String {
    String(percentEncoding: path.utf8) { byte in
      byte.isPathCharacter || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
    }
  }

  /// Returns the number of dots, raw or escaped, of a segment that changes a path: `.` and `..`,
  /// also before a `;`, which some servers drop.
  ///
  /// Returns nil for other segments.
  static func dots(in segment: Substring.UTF8View) -> Int? {
    // Most segments begin with neither a dot nor an escape.
    guard let first = segment.first, first == UInt8(ascii: ".") || first == UInt8(ascii: "%")
    else { return nil }
    var rest = segment
    var dots = 0
    while let length = rest.lengthOfDot {
      rest = rest.dropFirst(length)
      dots += 1
    }
    return (dots == 1 || dots == 2) && (rest.isEmpty || rest.beginsWithSemicolon) ? dots : nil
  }
}

/// The checks of a path's characters, with the reasons for refusing them.
private struct PathChecker {
  let text: String
  let part: URLJoinError.Part

  /// Checks the ASCII of a path.
  ///
  /// - Returns: Whether there is anything to encode.
  func needsEncoding(_ path: Substring) throws(URLJoinError) -> Bool {
    let bytes = path.utf8
    if bytes.withContiguousStorageIfAvailable(PathEncoding.isPlain) == true { return false }
    var needsEncoding = false
    var segment = bytes.startIndex
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "/") {
        try checkSegment(bytes[segment..<index], isFirst: segment == bytes.startIndex)
        segment = bytes.index(after: index)
      } else if byte == UInt8(ascii: "%") {
        try checkEscape(bytes[index...].dropFirst().prefix(2))
      } else if !byte.isPathCharacter {
        try checkUnusual(byte)
        needsEncoding = true
      }
      index = bytes.index(after: index)
    }
    let last = bytes[segment...]
    // An empty last segment is a slash at the end, or no path at all.
    if !last.isEmpty { try checkSegment(last, isFirst: false) }
    return needsEncoding
  }

  /// Checks the characters beyond ASCII, after ``needsEncoding(_:)``.
  func checkScalars(of path: Substring) throws(URLJoinError) {
    for scalar in path.unicodeScalars where !scalar.isASCII {
      if scalar.isBlank { throw whitespace(scalar) }
      if scalar.properties.generalCategory == .control { throw control(scalar) }
    }
  }

  private func checkSegment(
    _ segment: Substring.UTF8View, isFirst: Bool
  ) throws(URLJoinError) {
    guard !segment.isEmpty else {
      if isFirst, part == .endpoint {
        throw error(
          "begins with \"//\", which names another host", remedy: "begin with one \"/\" or none")
      }
      throw error("has an empty segment", remedy: "write one \"/\" between segments")
    }
    guard let dots = PathEncoding.dots(in: segment) else { return }
    if dots == 1 {
      throw error("has a \".\" segment", remedy: "remove it")
    }
    if part == .endpoint {
      throw error(
        "contains .. as a path segment",
        remedy: "remove \"..\" and name the path from the API's root")
    }
    throw error("has a \"..\" segment", remedy: "write the path that it leads to")
  }

  private func checkEscape(_ digits: Substring.UTF8View) throws(URLJoinError) {
    guard digits.count == 2, let high = digits.first?.hexDigitValue,
      let low = digits.last?.hexDigitValue
    else {
      throw error(
        "has a \"%\" without two hexadecimal digits", remedy: "write a percent sign as %25")
    }
    let byte = high << 4 | low
    if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") {
      throw error(
        "hides a \"\(Unicode.Scalar(byte))\" in an escape",
        remedy: "write \"/\" between segments, and pass a value that holds one as a path parameter")
    }
    if byte.isASCIIControl {
      throw error("hides a control character in an escape", remedy: "remove it")
    }
  }

  private func checkUnusual(_ byte: UInt8) throws(URLJoinError) {
    switch byte {
    case UInt8(ascii: "?"):
      throw error(
        "holds a query", remedy: "pass query: instead, and write a \"?\" of the path as %3F")
    case UInt8(ascii: "#"):
      throw error("holds a fragment", remedy: "remove it, and write a \"#\" of the path as %23")
    case UInt8(ascii: "\\"):
      throw error("holds a backslash", remedy: "write \"/\" between segments")
    case UInt8(ascii: " "), 0x09...0x0D:
      throw whitespace(Unicode.Scalar(byte))
    case _ where byte.isASCIIControl:
      throw control(Unicode.Scalar(byte))
    default:
      break
    }
  }

  private func whitespace(_ scalar: Unicode.Scalar) -> URLJoinError {
    error(
      "holds whitespace (\(scalar.name))",
      remedy: scalar == " " ? "write a space as %20, or remove it" : "remove it")
  }

  private func control(_ scalar: Unicode.Scalar) -> URLJoinError {
    error("holds a control character (\(scalar.name))", remedy: "remove it")
  }

  private func error(_ reason: String, remedy: String) -> URLJoinError {
    let isTold = part != .baseURL
    let place = part == .baseURL ? "has a path that " : ""
    return URLJoinError(part, text: isTold ? text : nil, place + reason, remedy: remedy)
  }
}

extension Unicode.Scalar {
  /// Whether this is whitespace or a byte order mark, which some decoders drop.
  var isBlank: Bool {
    guard !isASCII else { return value == 0x20 || 0x09...0x0D ~= value }
    return properties.isWhitespace || self == "\u{FEFF}"
  }

  /// The number of the scalar in Unicode's form: `U+000A`.
  fileprivate var name: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension Substring.UTF8View {
  /// The number of bytes of a dot at the beginning, raw or escaped; nil if there is none.
  fileprivate var lengthOfDot: Int? {
    if first == UInt8(ascii: ".") { return 1 }
    return beginsWithEscape("%2e") ? 3 : nil
  }

  fileprivate var beginsWithSemicolon: Bool {
    first == UInt8(ascii: ";") || beginsWithEscape("%3b")
  }

  private func beginsWithEscape(_ escape: StaticString) -> Bool {
    let start = prefix(3)
    return start.count == 3
      && start.elementsEqual(String(describing: escape).utf8) { $0 | 0x20 == $1 | 0x20 }
  }
}
