/// A length of time in a marble line, such as `2s`, `300ms` or `1.5min`.
enum MarbleTime {
  /// The greatest number of frames of a line.
  static var mostFrames: Int { 1_000_000_000 }

  private static let units: [(name: String, attoseconds: Int128)] = [
    ("ms", 1_000_000_000_000_000), ("s", 1_000_000_000_000_000_000),
    ("min", 60_000_000_000_000_000_000),
  ]

  /// Returns whether a word is a time.
  static func isTime(_ word: some StringProtocol) -> Bool { parts(of: word) != nil }

  /// Returns the number of frames of a time, or nil if they are not whole or too many.
  static func frames(of word: some StringProtocol, frame: Duration) -> Int? {
    guard let (whole, fraction, unit) = parts(of: word), whole.count + fraction.count <= 15,
      let digits = Int128(whole + fraction)
    else { return nil }
    let scale = fraction.reduce(into: Int128(1)) { scale, _ in scale *= 10 }
    let (time, rest) = (digits * unit).quotientAndRemainder(dividingBy: scale)
    let (frames, part) = time.quotientAndRemainder(dividingBy: frame.attoseconds)
    guard rest == 0, part == 0, frames <= mostFrames else { return nil }
    return Int(exactly: frames)
  }

  /// Returns the text of a time, in whole seconds or in milliseconds.
  static func text(of time: Duration) -> String {
    let second: Int128 = 1_000_000_000_000_000_000
    if time.attoseconds % second == 0 { return "\(time.attoseconds / second)s" }
    let (whole, rest) = time.attoseconds.quotientAndRemainder(dividingBy: second / 1_000)
    guard rest > 0 else { return "\(whole)ms" }
    let digits = String("\(rest + second / 1_000)".dropFirst())
    let end = digits.lastIndex { $0 != "0" } ?? digits.startIndex
    return "\(whole).\(digits[...end])ms"
  }

  private static func parts(
    of word: some StringProtocol
  ) -> (whole: String, fraction: String, unit: Int128)? {
    let whole = word.prefix { $0.isASCIIDigit }
    var rest = word[whole.endIndex...]
    var fraction = rest.prefix(0)
    if rest.first == "." {
      fraction = rest.dropFirst().prefix { $0.isASCIIDigit }
      if fraction.isEmpty { return nil }
      rest = rest[fraction.endIndex...]
    }
    guard !whole.isEmpty, let unit = units.first(where: { $0.name == rest }) else { return nil }
    return (String(whole), String(fraction), unit.attoseconds)
  }
}

extension Character {
  var isASCIIDigit: Bool { "0"..."9" ~= self }
}
