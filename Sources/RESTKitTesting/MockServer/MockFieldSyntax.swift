import RESTKit

/// The grammar of HTTP's fields (RFC 9110 §5).
enum MockFieldSyntax {
  /// Whether two field names are equal without regard to the case of ASCII letters.
  static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  /// Returns the elements of a comma-separated field value, in lower case and without blanks.
  static func listElements(of value: String) -> [String] {
    value.lowercased().split(separator: ",").map { element in
      let start = element.drop { $0 == " " || $0 == "\t" }
      return String(start.prefix { $0 != " " && $0 != "\t" && $0 != ";" })
    }
  }

  /// Returns the length that values of `Content-Length` announce, or nil if there is none or they
  /// differ.
  ///
  /// The same length several times, also in one value, counts as one (RFC 9110 §8.6).
  static func length(in values: [String]) -> Int? {
    var known: Int64?
    for value in values {
      for part in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = Int64(digits: Substring(part).trimmingBlanks), known ?? length == length
        else { return nil }
        known = length
      }
    }
    return known.flatMap { Int(exactly: $0) }
  }

  /// Whether the bytes are a token (RFC 9110 §5.6.2), as methods and field names must be.
  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isInToken)
  }

  /// Returns the end of the token at the beginning; nil if there is none.
  static func endOfToken(_ bytes: ArraySlice<UInt8>) -> Int? {
    let token = bytes.prefix(while: isInToken)
    return token.isEmpty ? nil : token.endIndex
  }

  private static func isInToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "^")...UInt8(ascii: "z"), UInt8(ascii: "|"), UInt8(ascii: "~"),
      UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "#")...UInt8(ascii: "'"):
      true
    default:
      false
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns a text without the blanks around it.
  static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { $0 != " " && $0 != "\t" }
    return end.map { start[...$0] } ?? start
  }

  /// Whether the bytes are valid in a field value or a reason phrase: no control character but the
  /// tab.
  static func isContent(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
