/// The texts of a picture.
enum MarbleText {
  /// The width of a letter, in pixels: the width in usual fonts, or a little more.
  static let letter = 8.0

  /// Returns a text on one line, in which nothing is invisible or in another order than it looks.
  static func line(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where isHidden(scalar): result += escaped(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether a scalar controls a display, or the order of the text around it.
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.generalCategory == .control || properties.isBidiControl
      || scalar == "\u{2028}" || scalar == "\u{2029}"
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }

  /// Returns a text escaped for use between tags, or between quotes in a tag.
  ///
  /// What changes the order of the text around it is written as an escape such as `\u{202e}`.
  static func markup(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      // XML does not allow these characters in any spelling, nor two code points that are no
      // characters.
      case _ where scalar.properties.generalCategory == .control, "\u{FFFE}", "\u{FFFF}":
        result += "\u{FFFD}"
      case _ where scalar.properties.isBidiControl: result += escaped(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Returns a number with one decimal, if needed.
  static func number(_ value: Double) -> String {
    let tenths = Int64((value * 10).rounded())
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return "\(tenths < 0 ? "-" : "")\(whole)\(rest == 0 ? "" : ".\(rest)")"
  }

  /// Wraps lines of code that are too long.
  ///
  /// The best place is as far outside all brackets as possible, after a comma or a brace. Otherwise
  /// a line breaks at a space, or anywhere.
  ///
  /// A continued line is indented by two more columns.
  static func wrapped(_ code: String, width: Int) -> [String] {
    code.split(separator: "\n").flatMap { line -> [String] in
      // Less than a line, or nothing of the rest would ever fit.
      let blanks = min(line.prefix { $0 == " " }.count + 2, width / 2)
      let indent = String(repeating: " ", count: blanks)
      var lines: [String] = []
      var rest = line
      while rest.count > width {
        let place = place(toBreak: rest, width: width)
        lines.append(String(rest[..<place]))
        rest = Substring(indent + rest[place...].drop { $0 == " " })
      }
      return lines + [String(rest)]
    }
  }

  private static func place(toBreak line: Substring, width: Int) -> Substring.Index {
    var depth = 0
    var best: (depth: Int, place: Substring.Index)?
    var lastSpace: Substring.Index?
    var last: Character = " "
    let limit = line.index(line.startIndex, offsetBy: width)
    for place in line.indices.prefix(width + 1) {
      let character = line[place]
      switch character {
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      case "<" where last != " ": depth += 1
      case ">" where last != " ": depth -= 1
      case " " where last != " ":
        lastSpace = place
        // The text before the block of a brace is outside the block.
        let outside = last == "{" ? depth - 1 : depth
        if ",;{".contains(last), outside <= best?.depth ?? .max { best = (outside, place) }
      default: break
      }
      last = character
    }
    return best?.place ?? lastSpace ?? limit
  }
}
