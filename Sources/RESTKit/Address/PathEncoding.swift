/// The checks and the encoding of paths, for base URLs and endpoints.
enum PathEncoding {
  /// Whether `text` begins with a scheme: RFC 3986, section 3.1.
  static func beginsWithScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first.isASCIILetter else { return false }
    let end = text.utf8.first { byte in
      !byte.isASCIILetter && !byte.isASCIIDigit && byte != UInt8(ascii: "+")
        && byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".")
    }
    return end == UInt8(ascii: ":")
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

  /// Returns a checked path with the necessary escapes.
  static func escaped(_ path: Substring) -> String {
    String(percentEncoding: path.utf8) { byte in
      byte.isPathCharacter || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
    }
  }

  /// Returns the number of dots, raw or escaped, of a segment that changes a path: `.` and `..`, also
  /// before a `;`, which some servers drop.
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
  var isBlank: Bool { properties.isWhitespace || self == "\u{FEFF}" }

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
