import Foundation

/// A condition on a text.
enum StubPattern: Sendable {
  /// A regular expression that matches the whole text.
  case expression(String)
  /// A part of the text.
  case text(String)

  var isExpression: Bool {
    if case .expression = self { true } else { false }
  }

  func matches(_ text: String) -> Bool {
    switch self {
    case .expression(let expression): Self.regex(expression)?.isWhole(text) ?? false
    case .text(let part):
      part.isEmpty || Data(text.utf8).range(of: Data(part.utf8)) != nil
    }
  }

  /// A text such as `/[0-9]+/` or `…part…`.
  var description: String {
    switch self {
    case .expression(let text) where Self.regex(text) == nil:
      "an expression, but \(text) is none"
    case .expression(let text): "/\(text)/"
    case .text(let text): "…\(text)…"
    }
  }

  // Made for each text, because an expression cannot be shared between threads.
  private static func regex(_ text: String) -> Regex<AnyRegexOutput>? {
    try? Regex(text).matchingSemantics(.unicodeScalar)
  }
}

extension Regex {
  /// Whether it matches the whole text; false if it gives up.
  fileprivate func isWhole(_ text: String) -> Bool {
    (try? wholeMatch(in: text)) != nil
  }
}
