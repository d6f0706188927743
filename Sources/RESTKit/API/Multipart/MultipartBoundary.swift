import Foundation

/// The delimiter between the parts of a form (RFC 2046 §5.1.1).
enum MultipartBoundary {
  // 192 bits, so that nobody can prepare a file that contains the boundary.
  private static let length = 32
  private static let characters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")

  /// Returns a boundary that occurs in none of the contents.
  static func draw(
    absentFrom contents: [Data], using generator: inout some RandomNumberGenerator
  ) -> String {
    // Six bits for each character. `randomElement` would never end with a generator that returns only
    // zeros.
    let drawn = String(
      (0..<length).map { _ in characters[Int(truncatingIfNeeded: generator.next() & 63)] })
    var boundary = drawn
    var count = 0
    // This counts instead of drawing again: a generator may always return the same, but the contents
    // end.
    while contents.contains(where: { $0.range(of: Data(boundary.utf8)) != nil }) {
      count += 1
      boundary = "\(drawn)-\(count)"
    }
    return boundary
  }
}

extension String {
  /// The text as browsers write a name between its quotation marks.
  package var escapedForMultipart: String {
    guard utf8.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
