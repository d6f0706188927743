import Foundation

/// A secret that is easy to find.
enum Canary {
  static let secret = "canary7f3a"

  /// Whether a text tells it: as it is, in base64, or byte by byte.
  static func isTold(in text: String) -> Bool {
    text.contains(secret) || text.contains(base64) || bytes(in: text).contains(secret)
  }

  private static let base64 = Data(secret.utf8).base64EncodedString().prefix(13)

  /// The text that the numbers in a text spell, as `dump` prints bytes.
  private static func bytes(in text: String) -> String {
    let numbers = text.split { !$0.isNumber }.compactMap { UInt8($0) }
    return String(decoding: numbers, as: UTF8.self)
  }
}
