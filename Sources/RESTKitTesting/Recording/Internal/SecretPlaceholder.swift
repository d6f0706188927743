import Foundation

/// The placeholder of a secret in a recording, such as `recorded-secret-1`.
enum SecretPlaceholder {
  private static let prefix = "recorded-secret-"

  static func text(_ number: Int) -> String { "\(prefix)\(number)" }

  /// Returns bytes as a text with a character for each byte, or nil if they contain no placeholder.
  static func text(of bytes: Data) -> String? {
    guard bytes.range(of: Data(prefix.utf8)) != nil else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Returns the placeholders in a text, in order.
  static func all(in text: String) -> [Substring] {
    text.matches(of: pattern).map(\.output)
  }

  /// Returns the parts of a text between the placeholders that match any value.
  static func literals(of text: String, free: Set<String>) -> [Substring] {
    var literals: [Substring] = []
    var start = text.startIndex
    for match in text.matches(of: pattern) where free.contains(String(match.output)) {
      literals.append(text[start..<match.range.lowerBound])
      start = match.range.upperBound
    }
    return literals + [text[start...]]
  }

  // A regex is not Sendable, so it is made at each use.
  private static var pattern: Regex<Substring> { /recorded-secret-[0-9]+/ }
}
