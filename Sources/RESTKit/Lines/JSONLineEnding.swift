import Foundation

/// A line ending of bodies that contain one JSON text after another.
protocol JSONLineEnding: LineEnding {
  /// The name of a line in error texts.
  static var unit: String { get }

  /// Whether a line of blanks has a number.
  static var countsBlankLines: Bool { get }

  /// Returns the framing fault of the last line, independent of its JSON.
  func fault(of line: Data) -> JSONLineFault?
}

/// A fault in the framing of a line.
enum JSONLineFault: Error {
  case separator
  case whitespaceBehindValue
}

extension LineFeeds: JSONLineEnding {
  static var unit: String { "line" }
  static var countsBlankLines: Bool { true }

  func fault(of line: Data) -> JSONLineFault? { nil }
}

extension JSONRecords: JSONLineEnding {
  static var unit: String { "record" }
  static var countsBlankLines: Bool { false }

  /// A number or a literal may be cut and still be valid JSON.
  ///
  /// Whitespace after it shows that it is complete (RFC 7464, 2.4).
  func fault(of line: Data) -> JSONLineFault? {
    guard wasSeparated else { return .separator }
    guard let first = line.first(where: { !$0.isJSONBlank }), let last = line.last else {
      return nil
    }
    let endsItself =
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
    return endsItself || last.isJSONBlank ? nil : .whitespaceBehindValue
  }
}

extension UInt8 {
  /// Whether the byte is whitespace between JSON tokens (RFC 8259, 2).
  var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
