import Foundation

/// The body that each response of a point must have.
///
/// Each 16 bytes are the number of their line, so that no part can stand for another one.
struct Body: Sendable {
  private let expected: Data

  init(bytes: Int) {
    var lines = Data(capacity: bytes + Self.line)
    for number in stride(from: 0, to: bytes, by: Self.line) {
      let digits = String(number / Self.line)
      lines.append(
        contentsOf: repeatElement(UInt8(ascii: "0"), count: Self.line - 1 - digits.count))
      lines.append(contentsOf: digits.utf8)
      lines.append(UInt8(ascii: "\n"))
    }
    expected = Data(lines.prefix(bytes))
  }

  private static let line = 16

  /// Whether every byte is the right one.
  func isEqual(to data: Data) -> Bool {
    data == expected
  }

  /// Whether the length and one line of each 64 KiB are right.
  ///
  /// A comparison of all bytes would take a part of the processor time of large bodies.
  func isLike(_ data: Data) -> Bool {
    guard data.count == expected.count else { return false }
    return stride(from: 0, to: expected.count, by: 64 << 10).allSatisfy { offset in
      let end = min(offset + Self.line, expected.count)
      return data[data.startIndex + offset..<data.startIndex + end] == expected[offset..<end]
    }
  }
}
