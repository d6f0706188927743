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
