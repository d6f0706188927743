import RESTKit

extension String {
  /// This text, escaped for XML and HTML between tags and in quoted attributes.
  var markup: String {
    unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "\n"
      // XML does not allow these characters in any spelling, nor two noncharacters.
      case _ where scalar.properties.generalCategory == .control, "\u{FFFE}", "\u{FFFF}":
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns at most this many of the first and last characters, with an ellipsis between them.
  func cut(to count: Int) -> String {
    guard self.count > count else { return self }
    return "\(prefix((count - 1) / 2))…\(suffix(count / 2))"
  }
}
