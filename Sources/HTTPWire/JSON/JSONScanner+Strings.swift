extension JSONScanner {
  /// Reads a string up to and including its closing quote.
  ///
  /// Its opening quote has been read.
  @inline(__always)
  func endOfString(from start: Int) throws(JSONSyntaxError) -> Int {
    var index = start
    // Names and most values are short, so the first words are checked without a call.
    while index + 8 <= bytes.count {
      let marks = Self.marks(in: word(at: index))
      guard marks == 0 else {
        index += marks.trailingZeroBitCount / UInt8.bitWidth
        if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
        break
      }
      index += 8
    }
    return try endOfUnusualString(from: index)
  }

  /// Reads the rest of a string that has escapes or non-ASCII characters, or that ends with the
  /// text.
  @inline(never)
  private func endOfUnusualString(from start: Int) throws(JSONSyntaxError) -> Int {
    var index = start
    while true {
      while index + 8 <= bytes.count {
        let marks = Self.marks(in: word(at: index))
        guard marks == 0 else {
          index += marks.trailingZeroBitCount / UInt8.bitWidth
          break
        }
        index += 8
      }
      guard index < bytes.count else { throw failure(at: index, expected: .stringEnd) }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        return index + 1
      case UInt8(ascii: "\\"):
        index = try endOfEscape(from: index)
      case 0x80...:
        repeat {
          index = try endOfMultibyteScalar(from: index)
        } while index < bytes.count && bytes[index] >= 0x80
      case ..<0x20:
        throw failure(
          at: index, expected: .escapedControl, found: .controlCharacter(bytes[index]))
      default:
        index += 1
      }
    }
  }

  /// Returns the high bit of each byte that is a quote, a backslash, a control character or not
  /// ASCII.
  ///
  /// Only the lowest set bit is reliable, because a borrow propagates upwards.
  @inline(__always)
  private static func marks(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
    let backslashes = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
    let controls = word &- (ones &* 0x20)
    return (quotes | backslashes | controls | word) & (ones &* 0x80)
  }

  /// Reads one escape, or two that form a surrogate pair.
  private func endOfEscape(from start: Int) throws(JSONSyntaxError) -> Int {
    guard start + 1 < bytes.count else { throw failure(at: start + 1, expected: .escape) }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(from: start + 2)
      switch unit {
      case 0xD800...0xDBFF:
        let second = start + 6
        guard second + 1 < bytes.count, bytes[second] == UInt8(ascii: "\\"),
          bytes[second + 1] == UInt8(ascii: "u"),
          case 0xDC00...0xDFFF = try codeUnit(from: second + 2)
        else { throw failure(at: start, expected: .surrogatePair, found: .loneSurrogate) }
        return start + 12
      case 0xDC00...0xDFFF:
        throw failure(at: start, expected: .surrogatePair, found: .loneSurrogate)
      default:
        return start + 6
      }
    default:
      throw failure(at: start + 1, expected: .escape)
    }
  }

  /// Returns the number that four hexadecimal digits represent.
  private func codeUnit(from start: Int) throws(JSONSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    for index in start..<start + 4 {
      guard index < bytes.count, let digit = bytes[index].hexDigitValue else {
        throw failure(at: index, expected: .hexDigits)
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Reads one scalar of two to four bytes: RFC 3629, section 4.
  @inline(__always)
  private func endOfMultibyteScalar(from start: Int) throws(JSONSyntaxError) -> Int {
    let rest = bytes.count - start
    let first = bytes[start]
    switch first {
    case 0xC2...0xDF where rest > 1:
      if isContinuation(start + 1) { return start + 2 }
    case 0xE0...0xEF where rest > 2:
      let second = bytes[start + 1]
      let lowest: UInt8 = first == 0xE0 ? 0xA0 : 0x80
      let highest: UInt8 = first == 0xED ? 0x9F : 0xBF
      if second >= lowest, second <= highest, isContinuation(start + 2) { return start + 3 }
    case 0xF0...0xF4 where rest > 3:
      let second = bytes[start + 1]
      let lowest: UInt8 = first == 0xF0 ? 0x90 : 0x80
      let highest: UInt8 = first == 0xF4 ? 0x8F : 0xBF
      if second >= lowest, second <= highest, isContinuation(start + 2), isContinuation(start + 3) {
        return start + 4
      }
    default:
      break
    }
    throw failure(at: start, expected: .utf8)
  }

  @inline(__always)
  private func isContinuation(_ index: Int) -> Bool {
    bytes[index] & 0xC0 == 0x80
  }

  /// Whether the checked string in `range` equals `name`.
  func isString(in range: Range<Int>, equalTo name: [UInt8]) -> Bool {
    let written = bytes[range]
    guard written.contains(UInt8(ascii: "\\")) else { return written.elementsEqual(name) }
    var unescaped: [UInt8] = []
    var index = range.lowerBound
    // A text longer than the name cannot equal it, so the rest need not be unescaped.
    while index < range.upperBound, unescaped.count <= name.count {
      index = appendScalar(from: index, to: &unescaped)
    }
    return unescaped == name
  }

  /// Appends the byte or the escaped scalar at `start` of a checked string, in UTF-8.
  private func appendScalar(from start: Int, to text: inout [UInt8]) -> Int {
    guard bytes[start] == UInt8(ascii: "\\") else {
      text.append(bytes[start])
      return start + 1
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let digits = bytes[start + 2..<start + 6]
      var value = Self.number(inHex: digits)
      var end = start + 6
      if case 0xD800...0xDBFF = value {
        let low = Self.number(inHex: bytes[start + 8..<start + 12])
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        end = start + 12
      }
      if let scalar = Unicode.Scalar(value) { text.append(contentsOf: Array(String(scalar).utf8)) }
      return end
    case let plain: text.append(plain)
    }
    return start + 2
  }

  private static func number(inHex digits: Slice<UnsafeRawBufferPointer>) -> UInt32 {
    digits.lazy.compactMap(\.hexDigitValue).reduce(0) { $0 << 4 | UInt32($1) }
  }
}
