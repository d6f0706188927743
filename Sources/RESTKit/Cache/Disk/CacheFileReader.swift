import Foundation

/// A reader of a file that may be damaged.
///
/// It compares each length with the remaining bytes before it uses the length.
struct CacheFileReader {
  /// The error of bytes that this version does not write.
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

  /// Returns bytes with memory of their own, so that a stored part does not keep the whole file in
  /// memory.
  mutating func data() throws(Damage) -> Data {
    Data(try slice(number(UInt64.self)))
  }

  mutating func date() throws(Damage) -> Date {
    let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
    // Calendars do not support later dates, and would trap.
    guard abs(date.timeIntervalSinceReferenceDate) < 1e11 else { throw Damage() }
    return date
  }

  private mutating func slice(_ count: some BinaryInteger) throws(Damage) -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= bytes.count - place else { throw Damage() }
    defer { place += count }
    return bytes[place..<place + count]
  }
}
