/// The `Idempotency-Key` of each request of one call: the one of its first sending goes with all.
///
/// A modifier runs for each attempt and may make another key then, with which the server would take
/// the request for a new one. A request of a part that is sent again is known by its method and URL;
/// of several that have the same, the first one that was sent comes first.
struct IdempotencyKeys: Sendable {
  static let field = "Idempotency-Key"

  private struct Entry: Sendable {
    let request: RequestSummary
    let key: String?
    /// The innermost part that sent it.
    let part: RepeatedPart
  }

  private struct Awaited: Sendable {
    let entry: Entry
    /// The part that is sent again.
    let repeated: RepeatedPart
  }

  /// What was sent, and not begun anew since.
  private var sent: [Entry] = []
  /// What comes once more; the next one last, to be taken from the end.
  private var awaited: [Awaited] = []
  /// How much of a part is remembered: more than any attempt of it has sent, and no more than that where
  /// each goes another way.
  private var most = 100

  /// Notes that the requests of a part come once more, from its first one on.
  mutating func repeatRequests(of part: RepeatedPart) {
    let again = sent.filter { part.contains($0.part) }
    // Before what an attempt that ended early has not come to.
    let left = awaited.filter { part.contains($0.entry.part) }.map(\.entry)
    most = max(most, again.count)
    sent.removeAll { part.contains($0.part) }
    awaited.removeAll { part.contains($0.entry.part) }
    awaited += (left.suffix(most - again.count) + again.reversed())
      .map { Awaited(entry: $0, repeated: part) }
  }

  /// The key that a request of a part went out with before: nil where it did not, or without one.
  func key(of request: RequestSummary, in part: RepeatedPart) -> String? {
    index(of: request, in: part).flatMap { awaited[$0].entry.key }
  }

  /// Notes the key that a request of a part goes out with.
  mutating func add(_ key: String?, for request: RequestSummary, in part: RepeatedPart) {
    if let index = index(of: request, in: part) { awaited.remove(at: index) }
    sent.append(Entry(request: request, key: key, part: part))
  }

  /// Where what a request repeats stands.
  private func index(of request: RequestSummary, in part: RepeatedPart) -> Int? {
    awaited.lastIndex { $0.entry.request == request && $0.repeated.contains(part) }
  }
}
