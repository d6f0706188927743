import Foundation

/// What stands for a secret in a recording: `recorded-secret-1`.
enum SecretPlaceholder {
  private static let prefix = "recorded-secret-"

  static func text(_ number: Int) -> String { "\(prefix)\(number)" }

  /// Bytes that are not text as one, a character for each byte; nil where no placeholder stands in them.
  static func text(of bytes: Data) -> String? {
    guard bytes.range(of: Data(prefix.utf8)) != nil else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// The placeholders in a text, in order.
  static func all(in text: String) -> [Substring] {
    text.matches(of: pattern).map(\.output)
  }

  /// The text between the placeholders for which any value is accepted.
  static func literals(of text: String, free: Set<String>) -> [Substring] {
    var literals: [Substring] = []
    var start = text.startIndex
    for match in text.matches(of: pattern) where free.contains(String(match.output)) {
      literals.append(text[start..<match.range.lowerBound])
      start = match.range.upperBound
    }
    return literals + [text[start...]]
  }

  // A regex is not Sendable, so that it is made where it is used.
  private static var pattern: Regex<Substring> { /recorded-secret-[0-9]+/ }
}
