/// What part of a file a 206 holds (RFC 9110 §14.4).
struct ContentRange: Equatable {
  let first: Int64
  let last: Int64
  /// The length of the whole file; nil where the server does not know it.
  let total: Int64?

  /// - Parameter field: Such as `bytes 100-199/1000`.
  /// - Returns: nil for anything else.
  init?(_ field: String) {
    guard field.prefix(6).lowercased() == "bytes " else { return nil }
    let halves = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
      first <= last
    else { return nil }
    self.first = first
    self.last = last
    if halves[1] == "*" {
      total = nil
    } else {
      guard let number = Self.number(halves[1]), number > last else { return nil }
      total = number
    }
  }

  /// Digits alone: no sign.
  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}
