import Foundation

/// A line ending of bodies that hold one JSON text after another.
protocol JSONLineEnding: LineEnding {
  /// What a line of the body is called.
  static var unit: String { get }

  /// Whether a line of blanks has a number.
  static var countsBlankLines: Bool { get }

  /// What is wrong with the line that was read last, whatever its JSON is.
  func fault(of line: Data) -> JSONLineFault?
}

/// What a line lacks.
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

  /// A number or a literal may be cut and still be JSON: the whitespace behind it says that it is whole
  /// (RFC 7464, 2.4).
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
  /// Whether this is whitespace between the tokens of JSON (RFC 8259, 2).
  var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
