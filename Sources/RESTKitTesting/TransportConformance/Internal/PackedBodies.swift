import Foundation

/// A text in two content codings.
enum PackedBodies {
  static let text = Data("hello hello hello".utf8)
  static let gzip = base64("H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==")
  static let deflate = base64("eNrLSM3JyVfIQJAAOi4GfQ==")

  private static func base64(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
