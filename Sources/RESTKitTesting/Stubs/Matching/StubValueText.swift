/// The text of a value in a report: on one line, and not too long.
struct StubValueText {
  private static let mostCharacters = 100
  /// The most characters in common that are shown before the first difference of two long values.
  private static let commonCharacters = 40
  /// The longest values whose difference needs no mark.
  private static let shortCharacters = 20

  private let characters: [Character]

  init(_ value: String) {
    // Control characters could forge a line of the report.
    let escaped = value.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F ? scalar.escaped(asASCII: true) : String(scalar)
    }
    characters = Array(escaped.joined())
  }

  var text: String { text(from: 0) }

  private func text(from start: Int) -> String {
    let rest = characters[min(start, characters.count)...]
    let shown =
      rest.count <= Self.mostCharacters
      ? String(rest) : String(rest.prefix(Self.mostCharacters - 1)) + "…"
    return start > 0 ? "…" + shown : shown
  }

  /// Returns two different values, each cut to the surroundings of their first difference.
  ///
  /// - Returns: The texts, and the position of the first difference in both; nil if it needs no mark.
  static func pair(_ one: String, _ other: String) -> (String, String, mark: Int?) {
    let (one, other) = (StubValueText(one), StubValueText(other))
    let common = zip(one.characters, other.characters).prefix { $0 == $1 }.count
    let longest = max(one.characters.count, other.characters.count)
    let start = longest > mostCharacters ? max(common - commonCharacters, 0) : 0
    let mark = start > 0 ? common - start + 1 : common
    return (
      one.text(from: start), other.text(from: start),
      longest > shortCharacters && common > 0 ? mark : nil
    )
  }
}
