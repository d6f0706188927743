/// The position and the reason of a body's JSON error.
///
/// The error has kinds of bytes, never the bytes of a string or number: a body may contain secrets,
/// and this text goes to logs.
package struct JSONSyntaxError: Error, Equatable, Sendable {
  /// The syntax that the grammar allows at the position of the error.
  enum Expectation: String, Sendable {
    case value = "a value"
    case memberName = "a member name in double quotes"
    case firstMemberName = "a member name in double quotes or \"}\""
    case colon = "\":\" after a member name"
    case commaOrObjectEnd = "\",\" or \"}\""
    case commaOrArrayEnd = "\",\" or \"]\""
    case end = "nothing after the top-level value"
    case literal = "true, false or null"
    case digit = "a digit"
    case noLeadingZero = "no digit after a leading zero"
    case stringEnd = "a double quote at the end of a string"
    case escapedControl = "control characters in a string to be written as escapes"
    case escape = "one of \"\\/bfnrtu after a backslash"
    case hexDigits = "four hexadecimal digits after \\u"
    case surrogatePair = "a high surrogate escape followed by a low one"
    case utf8 = "UTF-8"
    case shallowerNesting = "at most 512 levels of nesting"
  }

  /// The kind of byte at the position of the error.
  enum Finding: Equatable, Sendable {
    case emptyBody
    case endOfBody
    case structure(UInt8)
    case quote
    case backslash
    case lessThanSign
    case letter
    case digit
    case blank
    case controlCharacter(UInt8)
    case nonASCII
    case otherASCII
    case wideText
    case loneSurrogate
  }

  /// The position of the error, in bytes from the beginning of the body.
  package let offset: Int
  /// The line of the position, from 1.
  ///
  /// Lines end with a line feed.
  let line: Int
  /// The column of the position, in bytes, from 1.
  let column: Int
  /// The syntax that the grammar allows at the position.
  let expected: Expectation
  /// The kind of byte at the position.
  let found: Finding
}

extension JSONSyntaxError.Finding {
  /// Creates the kind of a byte outside a string.
  init(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ":"), UInt8(ascii: ","):
      self = .structure(byte)
    case UInt8(ascii: "\""): self = .quote
    case UInt8(ascii: "\\"): self = .backslash
    case UInt8(ascii: "<"): self = .lessThanSign
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      self = .letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
    case 0x20, 0x09, 0x0A, 0x0D: self = .blank
    case 0x00..<0x20, 0x7F: self = .controlCharacter(byte)
    case 0x80...: self = .nonASCII
    default: self = .otherASCII
    }
  }
}

extension JSONSyntaxError.Finding: CustomStringConvertible {
  var description: String {
    switch self {
    case .emptyBody: "an empty body"
    case .endOfBody: "the end of the body"
    case .structure(let byte): "\"\(Unicode.Scalar(byte))\""
    case .quote: "a double quote"
    case .backslash: "a backslash"
    case .lessThanSign: "\"<\", as HTML and XML begin with"
    case .letter: "a letter"
    case .digit: "a digit"
    case .blank: "a blank"
    case .controlCharacter(let byte): "control character \(byte)"
    case .nonASCII: "a byte outside ASCII"
    case .otherASCII: "another character"
    case .wideText: "UTF-16 or UTF-32"
    case .loneSurrogate: "half of a surrogate pair"
    }
  }
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The allowed syntax at the position, and the kind of byte there.
  package var mismatch: String { "expected \(expected.rawValue), found \(found)" }

  /// The remedy.
  var remedy: String {
    switch found {
    case .emptyBody: "Check the server's response: it has no body."
    case .endOfBody:
      "The body ends too early: check what the server sends, and what a proxy cuts off."
    case .lessThanSign where expected == .value:
      "Check that the URL is the API's and not a web page's or a proxy's."
    case .wideText: "Have the server send the JSON in UTF-8 (RFC 8259, section 8.1)."
    case _ where offset == 0:
      "Check that the URL is the API's, and that the server sends JSON there."
    default: "Correct the server's response at that place."
    }
  }

  package var description: String {
    guard found != .emptyBody else { return "not JSON: the body is empty" }
    return "not JSON at byte \(offset) (line \(line), column \(column)): \(mismatch)"
  }
}
