import RESTKit

extension String {
  /// This text between tags, or between quotes in one, of XML and HTML.
  var markup: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      // XML has no place for them, in any spelling; nor for two that are no characters.
      case _ where scalar.properties.generalCategory == .control, "\u{FFFE}", "\u{FFFF}":
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// The first and the last characters, so many at most, with an ellipsis for those between.
  func cut(to count: Int) -> String {
    guard self.count > count else { return self }
    return "\(prefix((count - 1) / 2))…\(suffix(count / 2))"
  }
}
