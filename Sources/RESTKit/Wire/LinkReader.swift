/// A reader for a `Link` line, link by link, as in RFC 8288 appendix B.2.
struct LinkReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// - Returns: The next link, or nil at the end of the line and before any other text.
  mutating func next() -> HTTPLink? {
    while let byte = current, byte.isBlank || byte == UInt8(ascii: ",") { place += 1 }
    guard take("<"), let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
      place = bytes.count
      return nil
    }
    let target = text(place..<end)
    place = end + 1
    let parameters = parameters()
    // After its parameters, a link ends at a comma. The rest of a malformed line is ignored.
    if let byte = current, byte != UInt8(ascii: ",") { place = bytes.count }
    return HTTPLink(target: target, parameters: parameters)
  }

  private mutating func parameters() -> [HTTPLink.Parameter] {
    var parameters: [HTTPLink.Parameter] = []
    skipBlanks()
    while take(";") {
      skipBlanks()
      let name = token().lowercased()
      skipBlanks()
      var value = ""
      if take("=") {
        skipBlanks()
        value = current == UInt8(ascii: "\"") ? quoted() : plain()
        skipBlanks()
      }
      if !name.isEmpty { parameters.append(HTTPLink.Parameter(name: name, value: value)) }
    }
    return parameters
  }

  private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipBlanks() {
    while let byte = current, byte.isBlank { place += 1 }
  }

  private mutating func token() -> String {
    let start = place
    while let byte = current, RequestValidation.isTokenByte(byte) { place += 1 }
    return text(start..<place)
  }

  /// Reads an unquoted value.
  ///
  /// It is more than a token, since servers write URLs of relation types without quotes.
  private mutating func plain() -> String {
    let start = place
    while let byte = current, !byte.isBlank, byte != UInt8(ascii: ";"), byte != UInt8(ascii: ",") {
      place += 1
    }
    return text(start..<place)
  }

  /// Reads a quoted text, up to the end of the line if the closing quote is missing.
  private mutating func quoted() -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = current {
      place += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let escaped = current {
        place += 1
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
