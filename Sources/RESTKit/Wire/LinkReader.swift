/// Reads a line of `Link`, link by link, as RFC 8288 appendix B.2 does.
struct LinkReader {
  private let bytes: [UInt8]
  private var place = 0

  init(_ line: String) {
    bytes = Array(line.utf8)
  }

  /// - Returns: nil at the end, and where something else than a link comes.
  mutating func next() -> HTTPLink? {
    while let byte = current, byte.isBlank || byte == UInt8(ascii: ",") { place += 1 }
    guard take("<"), let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else {
      place = bytes.count
      return nil
    }
    let target = text(place..<end)
    place = end + 1
    let parameters = parameters()
    // Behind the parameters a link ends at a comma; the rest of a line that is no link tells nothing.
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

  /// A value without quotes: more than a token, since servers write URLs of relation types that way.
  private mutating func plain() -> String {
    let start = place
    while let byte = current, !byte.isBlank, byte != UInt8(ascii: ";"), byte != UInt8(ascii: ",") {
      place += 1
    }
    return text(start..<place)
  }

  /// A text in quotes, to the end of the line where the second quote is missing.
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
