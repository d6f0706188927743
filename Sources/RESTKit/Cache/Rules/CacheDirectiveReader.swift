/// A reader of a `Cache-Control` line, directive by directive (RFC 9111 §5.2).
///
/// An argument is a token or a quoted text. The reader skips anything else up to the next comma outside
/// of quotes.
struct CacheDirectiveReader {
  struct Directive {
    /// The name in lower case.
    let name: String
    let argument: String?
    /// Whether the directive violates the grammar.
    let isMalformed: Bool

    /// The argument as a list of names, in lower case.
    var members: [String] {
      guard let argument else { return [] }
      return argument.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
        let name = Substring(part).trimmingBlanks.lowercased()
        return name.isEmpty ? nil : name
      }
    }

    /// The argument as a number; nil if it does not consist of digits.
    func seconds(upTo most: Int64) -> Int64? {
      guard let argument, !isMalformed else { return nil }
      var reader = FieldReader(argument)
      guard let number = reader.number(upTo: most), reader.isAtEnd else { return nil }
      return number
    }
  }

  private let bytes: [UInt8]
  private var place = 0

  init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// - Returns: nil at the end.
  mutating func next() -> Directive? {
    while true {
      while let byte = current, byte.isBlank || byte == UInt8(ascii: ",") { place += 1 }
      guard current != nil else { return nil }
      let name = token()
      guard !name.isEmpty else {
        _ = skipToComma()
        continue
      }
      var argument: String?
      var isWhole = true
      if current == UInt8(ascii: "=") {
        place += 1
        if current == UInt8(ascii: "\"") {
          (argument, isWhole) = quoted()
        } else {
          argument = token()
          isWhole = argument?.isEmpty == false
        }
      }
      let isMalformed = skipToComma() || !isWhole
      return Directive(name: name.lowercased(), argument: argument, isMalformed: isMalformed)
    }
  }

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func token() -> String {
    let start = place
    while let byte = current, RequestValidation.isTokenByte(byte) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// - Returns: The text, and whether it had a closing quote.
  private mutating func quoted() -> (String, Bool) {
    place += 1
    var text: [UInt8] = []
    while let byte = current {
      place += 1
      if byte == UInt8(ascii: "\"") { return (String(decoding: text, as: UTF8.self), true) }
      if byte == UInt8(ascii: "\\"), let escaped = current {
        place += 1
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return (String(decoding: text, as: UTF8.self), false)
  }

  /// - Returns: Whether the skipped text had more than blanks.
  private mutating func skipToComma() -> Bool {
    var isMore = false
    while let byte = current, byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\"") { _ = quoted() } else { place += 1 }
      if !byte.isBlank { isMore = true }
    }
    return isMore
  }
}
