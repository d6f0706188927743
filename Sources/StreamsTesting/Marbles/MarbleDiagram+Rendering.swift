extension MarbleDiagram: CustomStringConvertible {
  /// The line in marble notation.
  ///
  /// Reading it gives an equal line.
  public var description: String { cells.joined() }

  /// Returns two lines with spaces inserted, so that equal frames are aligned.
  public static func aligned(_ first: MarbleDiagram, _ second: MarbleDiagram) -> (String, String) {
    let lines = aligned([first, second])
    return (lines[0], lines[1])
  }

  /// Returns lines with spaces inserted, so that equal frames are aligned.
  static func aligned(_ diagrams: [MarbleDiagram]) -> [String] {
    columns(diagrams).reduce(into: diagrams.map { _ in "" }) { lines, column in
      for (index, text) in column.enumerated() { lines[index] += text }
    }.map(\.trimmingSpaces)
  }

  /// Returns a line that points to the first frame in which two aligned lines differ.
  static func pointer(_ first: MarbleDiagram, _ second: MarbleDiagram) -> String? {
    let pairs = zip(first.events, second.events)
    let index = pairs.enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(first.events.count, second.events.count)
    let frames = [first, second].compactMap {
      place < $0.events.count ? $0.events[place].frame : nil
    }
    guard let frame = frames.min() else { return nil }
    let width = columns([first, second]).prefix(frame).reduce(0) { $0 + $1[0].count }
    return String(repeating: " ", count: width) + "^ frame \(frame)"
  }

  /// Returns the texts for each frame of several lines, with equal widths in all lines.
  private static func columns(_ diagrams: [MarbleDiagram]) -> [[String]] {
    let lines = diagrams.map(\.cells)
    return (0..<(lines.map(\.count).max() ?? 0)).map { frame in
      let texts = lines.map { frame < $0.count ? $0[frame] : "" }
      let width = texts.map(\.count).max() ?? 0
      return texts.map { $0 + String(repeating: " ", count: width - $0.count) }
    }
  }

  /// The text for each frame.
  private var cells: [String] {
    var cells: [String] = []
    var start = events.startIndex
    while start < events.endIndex {
      let frame = events[start].frame
      let end = events[start...].firstIndex { $0.frame != frame } ?? events.endIndex
      let marks = events[start..<end].map(\.mark.text)
      cells += Array(repeating: "-", count: max(frame - cells.count, 0))
      cells.append(marks.count == 1 ? marks[0] : "(\(marks.joined()))")
      start = end
    }
    return cells + Array(repeating: "-", count: max(frameCount - cells.count, 0))
  }
}

extension MarbleEvent.Mark {
  var text: String {
    switch self {
    case .value(let symbol): Self.isBare(symbol) ? symbol : Self.quoted(symbol)
    case .finished: "|"
    case .failure: "#"
    case .subscription: "^"
    case .cancel: "!"
    case .unlimited: "*"
    }
  }

  private static func isBare(_ symbol: String) -> Bool {
    guard let scalar = symbol.unicodeScalars.first, symbol.unicodeScalars.count == 1 else {
      return false
    }
    return scalar != " " && stays(scalar) && !"-()|#^!*\"\\".unicodeScalars.contains(scalar)
  }

  private static func quoted(_ symbol: String) -> String {
    var text = "\""
    for scalar in symbol.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where stays(scalar): text.unicodeScalars.append(scalar)
      default: text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return text + "\""
  }

  /// Returns whether a scalar is visible and does not join with a neighbor.
  private static func stays(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .decimalNumber, .mathSymbol, .currencySymbol,
      .dashPunctuation, .otherPunctuation:
      return true
    case .otherSymbol:
      return !(0x1F1E6...0x1F1FF).contains(scalar.value)
    default:
      return false
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
