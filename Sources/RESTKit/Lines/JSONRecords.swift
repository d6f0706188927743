/// The records of a JSON text sequence (RFC 7464).
///
/// Each record is a record separator, a JSON text and a line feed.
///
/// A record ends with the line feed after its text, so that it need not wait for the next record.
/// Line feeds inside an object, an array or a string do not end it. A separator ends any record,
/// complete or not, since a JSON text contains none.
struct JSONRecords: LineEnding {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var hasText = false
  private var isSeparated = false
  /// Whether a separator preceded the record that ended last.
  private(set) var wasSeparated = false

  static let separator: UInt8 = 0x1E

  mutating func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> LineEnd? {
    var place = start
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == Self.separator {
        endRecord(nextIsSeparated: true)
        return LineEnd(text: place - 1, next: place)
      }
      if isInString {
        readInString(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "\n"):
        guard depth == 0, hasText else { continue }
        endRecord(nextIsSeparated: false)
        return LineEnd(text: place, next: place)
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(depth - 1, 0)
      default: break
      }
      hasText = true
    }
    return nil
  }

  private mutating func readInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
  }

  mutating func endBody() {
    endRecord(nextIsSeparated: false)
  }

  private mutating func endRecord(nextIsSeparated: Bool) {
    (wasSeparated, isSeparated) = (isSeparated, nextIsSeparated)
    (depth, isInString, isEscaped, hasText) = (0, false, false, false)
  }
}
