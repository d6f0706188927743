extension MarbleDiagram: CustomStringConvertible {
  /// The line in marble notation, with a time for a long pause.
  ///
  /// Reading it with the same ``frame`` gives an equal line.
  public var description: String {
    Self.columns([self]).map(\.texts[0]).joined().trimmingSpaces
  }

  /// Returns two lines with spaces inserted, so that equal frames are aligned.
  public static func aligned(_ first: MarbleDiagram, _ second: MarbleDiagram) -> (String, String) {
    let lines = aligned([first, second])
    return (lines[0], lines[1])
  }

  /// Returns lines with spaces inserted, so that equal frames are aligned.
  static func aligned(_ diagrams: [MarbleDiagram]) -> [String] {
    columns(diagrams).reduce(into: diagrams.map { _ in "" }) { lines, column in
      for (index, text) in column.texts.enumerated() { lines[index] += text }
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
    let width = columns([first, second]).prefix { $0.start < frame }
      .reduce(0) { $0 + $1.texts[0].count }
    return String(repeating: " ", count: width) + "^ frame \(frame)"
  }

  /// The greatest number of frames of a pause that is written out.
  static var longestPause: Int { 100 }

  /// The texts of several lines for some frames, with equal widths in all lines.
  private typealias Column = (start: Int, texts: [String])

  private static func columns(_ diagrams: [MarbleDiagram]) -> [Column] {
    let lines = diagrams.map(\.cells)
    var ends = Set(diagrams.map(\.frameCount))
    for frame in lines.joined().map(\.frame) { ends.formUnion([frame, frame + 1]) }
    var next = lines.map { _ in 0 }
    var start = 0
    return ends.sorted().filter { $0 > 0 }.map { end in
      let texts = lines.indices.map { index -> String in
        if next[index] < lines[index].count, lines[index][next[index]].frame == start {
          next[index] += 1
          return lines[index][next[index] - 1].text
        }
        return start < diagrams[index].frameCount ? diagrams[index].pause(end - start) : ""
      }
      let width = texts.map(\.count).max() ?? 0
      defer { start = end }
      return (start, texts.map { $0 + String(repeating: " ", count: width - $0.count) })
    }
  }

  private func pause(_ frames: Int) -> String {
    guard frames > Self.longestPause else { return String(repeating: "-", count: frames) }
    return " \(MarbleTime.text(of: frame * frames)) "
  }

  /// The text for each frame with events.
  private var cells: [(frame: Int, text: String)] {
    var cells: [(frame: Int, text: String)] = []
    var start = events.startIndex
    while start < events.endIndex {
      let frame = events[start].frame
      let end = events[start...].firstIndex { $0.frame != frame } ?? events.endIndex
      let marks = events[start..<end].map(\.mark.text)
      cells.append((frame, marks.count == 1 ? marks[0] : "(\(marks.joined()))"))
      start = end
    }
    // Values that a reader would take for a time if they were a word.
    for place in cells.indices where cells[place].text.first?.isASCIIDigit == true {
      let signs = cells[place...].prefix(40).enumerated()
        .prefix { $1.text.count == 1 && $1.frame == cells[place].frame + $0 }
      let text = signs.map(\.element.text).joined()
      let isTime = text.indices.contains { MarbleTime.isTime(text[...$0]) }
      if isTime { cells[place].text = "\"\(cells[place].text)\"" }
    }
    return cells
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
