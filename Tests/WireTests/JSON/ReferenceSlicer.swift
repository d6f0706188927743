import Fixtures

/// `unwrapResultJSON` written once more, the plain way: by recursion, over an array, one byte at a
/// time.
struct ReferenceSlicer {
  private struct Refused: Error {}

  private let bytes: [UInt8]
  private var place = 0
  private var found: Range<Int>??
  private let name: String

  private init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  /// The object under the name, all of the bytes, or nil where they are not JSON.
  static func slice(_ bytes: [UInt8], name: String = "result") -> [UInt8]? {
    var slicer = ReferenceSlicer(bytes, name: name)
    do {
      guard let range = try slicer.document() else { return bytes }
      return Array(bytes[range])
    } catch {
      return nil
    }
  }

  private mutating func document() throws -> Range<Int>? {
    if bytes.count > 1, bytes[0] == 0 || bytes[1] == 0 { throw Refused() }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw Refused() }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    try value(depth: 0)
    guard place == bytes.count else { throw Refused() }
    return found ?? nil
  }

  private mutating func value(depth: Int) throws {
    blanks()
    guard depth <= 512, let byte = next else { throw Refused() }
    switch byte {
    case "{": try members(depth: depth + 1)
    case "[": try list(depth: depth + 1)
    case "\"": _ = try string()
    case "t": try word("true")
    case "f": try word("false")
    case "n": try word("null")
    default: try number()
    }
    blanks()
  }

  private mutating func members(depth: Int) throws {
    guard depth <= 512 else { throw Refused() }
    place += 1
    blanks()
    while next != "}" {
      let key = try string()
      blanks()
      try take(":")
      blanks()
      let start = place
      let isWanted =
        depth == 1 && found == nil && key.unicodeScalars.elementsEqual(name.unicodeScalars)
      let isObject = next == "{"
      try value(depth: depth)
      if isWanted { found = .some(isObject ? start..<trimmed(place) : nil) }
      if next == "," { place += 1; blanks() } else if next != "}" { throw Refused() }
    }
    place += 1
  }

  private mutating func list(depth: Int) throws {
    guard depth <= 512 else { throw Refused() }
    place += 1
    blanks()
    while next != "]" {
      try value(depth: depth)
      if next == "," { place += 1; blanks() } else if next != "]" { throw Refused() }
    }
    place += 1
  }

  private mutating func string() throws -> String {
    try take("\"")
    var units: [UInt16] = []
    while let byte = next, byte != "\"" {
      if byte == "\\" {
        place += 1
        guard let escape = next else { throw Refused() }
        place += 1
        switch escape {
        case "\"", "\\", "/": units.append(UInt16(escape.value))
        case "b": units.append(8)
        case "f": units.append(12)
        case "n": units.append(10)
        case "r": units.append(13)
        case "t": units.append(9)
        case "u": units.append(try unit())
        default: throw Refused()
        }
      } else {
        guard byte.value >= 0x20 else { throw Refused() }
        var end = place + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        units += Array(String(decoding: bytes[place..<end], as: UTF8.self).utf16)
        place = end
      }
    }
    try take("\"")
    guard let text = String(validating: units, as: UTF16.self) else { throw Refused() }
    return text
  }

  private mutating func unit() throws -> UInt16 {
    let digits = bytes.dropFirst(place).prefix(4)
    let isHex = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard digits.count == 4, isHex,
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Refused() }
    place += 4
    return unit
  }

  private mutating func number() throws {
    if next == "-" { place += 1 }
    if next == "0" { place += 1 } else { try digits() }
    if next == "." {
      place += 1
      try digits()
    }
    if next == "e" || next == "E" {
      place += 1
      if next == "+" || next == "-" { place += 1 }
      try digits()
    }
  }

  private mutating func digits() throws {
    let start = place
    while let byte = next, ("0"..."9").contains(byte) { place += 1 }
    guard place > start else { throw Refused() }
  }

  private mutating func word(_ word: String) throws {
    guard bytes.dropFirst(place).starts(with: word.utf8) else { throw Refused() }
    place += word.utf8.count
  }

  private mutating func take(_ byte: Unicode.Scalar) throws {
    guard next == byte else { throw Refused() }
    place += 1
  }

  private mutating func blanks() {
    while let byte = next, byte == " " || byte == "\t" || byte == "\n" || byte == "\r" {
      place += 1
    }
  }

  private func trimmed(_ end: Int) -> Int {
    bytes[..<end].lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? end
  }

  private var next: Unicode.Scalar? {
    place < bytes.count ? Unicode.Scalar(bytes[place]) : nil
  }
}
