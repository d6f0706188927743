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

  /// The first characters and an ellipsis, where there are more.
  func cut(at count: Int) -> String {
    self.count > count ? "\(prefix(count - 1))…" : self
  }
}
