import Foundation

/// The line that parts the parts (RFC 2046 §5.1.1).
enum MultipartBoundary {
  // 192 bits, so that nobody can write a file that holds it.
  private static let length = 32
  private static let characters = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_")

  /// A boundary that is in none of the contents.
  static func draw(
    absentFrom contents: [Data], using generator: inout some RandomNumberGenerator
  ) -> String {
    // Six bits for each, and not `randomElement`, which a generator of zeros alone keeps for ever.
    let drawn = String((0..<length).map { _ in characters[Int(generator.next() & 63)] })
    var boundary = drawn
    var count = 0
    // It counts and does not draw again: a generator may give the same for ever, and contents end.
    while contents.contains(where: { $0.range(of: Data(boundary.utf8)) != nil }) {
      count += 1
      boundary = "\(drawn)-\(count)"
    }
    return boundary
  }
}

extension String {
  /// As browsers write a name between its quotation marks.
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
