/// A pattern of paths.
///
/// `*` stands for one segment, `**` for any number of segments, or none.
struct StubPath: Sendable {
  let text: String
  private let segments: [Substring]

  init(_ text: String) {
    self.text = text.hasPrefix("/") ? text : "/" + text
    segments = Self.segments(of: Substring(self.text))
  }

  func matches(_ path: Substring) -> Bool {
    let actual = Self.segments(of: path)
    var (place, other) = (0, 0)
    // The position of the last `**`, and how far it has reached. It takes one more segment if the rest does
    // not match.
    var wildcard: (place: Int, reached: Int)?
    while other < actual.count {
      if place < segments.count, segments[place] == "**" {
        wildcard = (place, other)
        place += 1
      } else if place < segments.count, segments[place] == "*" || segments[place] == actual[other] {
        place += 1
        other += 1
      } else if let last = wildcard {
        wildcard = (last.place, last.reached + 1)
        (place, other) = (last.place + 1, last.reached + 1)
      } else {
        return false
      }
    }
    return segments[place...].allSatisfy { $0 == "**" }
  }

  /// Returns the number of segments that differ from the pattern.
  func distance(to path: Substring) -> Int {
    let actual = Self.segments(of: path)
    let unequal = zip(segments, actual).count { $0 != $1 && !$0.hasPrefix("*") }
    return unequal + abs(segments.count - actual.count)
  }

  private static func segments(of path: Substring) -> [Substring] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }
}
