/// A search for many texts at once: from the left, and the longest one at a place.
struct TextSearch: Sendable {
  private let texts: [UInt8: [(bytes: [UInt8], index: Int)]]

  /// - Parameter texts: The texts, which are found by their places in this list. An empty one is
  ///   never found.
  init(_ texts: some Sequence<String>) {
    let found = texts.enumerated().map { (bytes: Array($0.element.utf8), index: $0.offset) }
    self.texts = Dictionary(grouping: found.filter { !$0.bytes.isEmpty }) { $0.bytes[0] }
      .mapValues { $0.sorted { $0.bytes.count > $1.bytes.count } }
  }

  /// Returns the text that begins at a place, with its end; nil if there is none.
  private func match(at place: Int, in bytes: [UInt8]) -> (index: Int, end: Int)? {
    guard let candidates = texts[bytes[place]] else { return nil }
    let rest = bytes[place...]
    return candidates.first { rest.starts(with: $0.bytes) }
      .map { ($0.index, place + $0.bytes.count) }
  }

  /// Returns the places of the texts that do not overlap.
  func matches(in bytes: [UInt8]) -> [(index: Int, range: Range<Int>)] {
    var matches: [(index: Int, range: Range<Int>)] = []
    var place = 0
    while place < bytes.count {
      if let match = match(at: place, in: bytes) {
        matches.append((match.index, place..<match.end))
        place = match.end
      } else {
        place += 1
      }
    }
    return matches
  }

  /// Returns the bytes with other bytes in place of the texts.
  ///
  /// - Parameter replacement: Returns the other bytes, or nil to keep what is there.
  func replacing(
    in bytes: [UInt8], _ replacement: (_ index: Int, Range<Int>) -> [UInt8]?
  ) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    for (index, range) in matches(in: bytes) {
      guard let other = replacement(index, range) else { continue }
      result += bytes[start..<range.lowerBound]
      result += other
      start = range.upperBound
    }
    return result.isEmpty && start == 0 ? bytes : result + bytes[start...]
  }
}
