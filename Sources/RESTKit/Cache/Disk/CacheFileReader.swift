import Foundation

/// Reads what may be damaged, from its start to its end: each length is compared with what is there before
/// it is used.
struct CacheFileReader {
  /// The bytes are not what this version writes.
  struct Damage: Error {}

  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8], from place: Int) {
    self.bytes = bytes
    self.place = place
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(Damage) -> Number {
    var number: UInt64 = 0
    for (index, byte) in try slice(MemoryLayout<Number>.size).enumerated() {
      number |= UInt64(byte) << (8 * index)
    }
    return Number(truncatingIfNeeded: number)
  }

  mutating func flag() throws(Damage) -> Bool {
    switch try number(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw Damage()
    }
  }

  mutating func text() throws(Damage) -> String {
    let count = try number(UInt32.self)
    guard let text = String(validating: try slice(count), as: UTF8.self) else { throw Damage() }
    return text
  }

  /// Bytes with memory of their own: what is kept of a file is not to keep the file.
  mutating func data() throws(Damage) -> Data {
    Data(try slice(number(UInt64.self)))
  }

  mutating func date() throws(Damage) -> Date {
    let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
    // Calendars count no further, and would trap.
    guard abs(date.timeIntervalSinceReferenceDate) < 1e11 else { throw Damage() }
    return date
  }

  private mutating func slice(_ count: some BinaryInteger) throws(Damage) -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= bytes.count - place else { throw Damage() }
    defer { place += count }
    return bytes[place..<place + count]
  }
}
