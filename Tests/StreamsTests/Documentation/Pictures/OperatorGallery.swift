/// The page that shows all pictures of operators, in the order of the tables of Docs/Streams.md.
struct OperatorGallery {
  private let entries: [OperatorPictures.Entry]
  private let guide: Substring

  /// - Parameter guide: Docs/Streams.md.
  init(_ pictures: OperatorPictures, guide: String) {
    entries = pictures.entries
    // Its later tables name types.
    self.guide = guide.prefix(
      upTo: guide.firstRange(of: "\n## Machines")?.lowerBound ?? guide.endIndex)
  }

  /// The operators that no table names in its first column.
  var homeless: [String] {
    let named = Set(sections.flatMap(\.names))
    return entries.map(\.name).filter { !named.contains($0) }
  }

  /// The page.
  var text: String {
    var lines = [
      "# Operators",
      "",
      "<!-- Made by Docs/Pictures/make from Docs/Streams.md, the doc comments and the runs of their"
        + " diagrams. -->",
      "",
      "Each picture is of a run, which the tests repeat; [Marbles](Marbles.md) tells how to read and",
      "write such diagrams, and [Streams](Streams.md) what differs from Combine. Time goes from left to",
      "right. A bar is the end and a cross a failure; values that were never sent are dashed. An arrow up is",
      "demand: below the call what the subscriber asks for, above it what a source is asked for.",
    ]
    for (number, section) in sections.enumerated() where !section.names.isEmpty {
      lines += ["", "## \(number + 1). \(section.title)"]
      for name in section.names {
        guard let entry = entries.first(where: { $0.name == name }) else { continue }
        lines += ["", "### \(name)", "", entry.summary.plainLinks, ""] + Self.picture(entry)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The picture and its text for readers who cannot see it.
  private static func picture(_ entry: OperatorPictures.Entry) -> [String] {
    [
      "<img src=\"Pictures/Operators/\(entry.name).svg\" width=\"400\""
        + " alt=\"Marble diagram of \(entry.name); its text follows\">",
      "", "<details><summary>As text</summary>", "", "```text", "\(entry.picture)", "```", "",
      "</details>",
    ]
  }

  /// The headings of the guide with the operators below each, each operator once.
  private var sections: [(title: String, names: [String])] {
    var sections: [(title: String, names: [String])] = []
    var waiting = Set(entries.map(\.name))
    for line in guide.split(separator: "\n") {
      if let heading = line.prefixMatch(of: /##+ (.+)/) {
        sections.append((String(heading.1), []))
      } else if line.hasPrefix("|"), !sections.isEmpty, let cell = line.split(separator: "|").first
      {
        for name in Self.names(in: cell) where waiting.remove(name) != nil {
          sections[sections.count - 1].names.append(name)
        }
      }
    }
    return sections.filter { !$0.names.isEmpty }
  }

  /// The names in code font: both words of `Publishers.Timer` and `Sequence.publisher`.
  private static func names(in cell: Substring) -> [String] {
    cell.matches(of: /`([^`]+)`/).flatMap { code in
      code.1.prefix { $0 != "(" }.split(separator: ".").map(String.init)
    }
  }
}

extension String {
  /// Links of DocC as plain code.
  fileprivate var plainLinks: String { replacing("``", with: "`") }
}
