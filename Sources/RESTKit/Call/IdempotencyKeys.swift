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
    /// Where it stands in the order of first sendings.
    let place: Int
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
  /// What comes once more; what was sent first last, to be taken from the end.
  private var awaited: [Awaited] = []
  private var nextPlace = 0
  /// How much of a part is remembered: more than any attempt of it has sent, and no more than that where
  /// each goes another way.
  private var most = 100

  /// Notes that the requests of a part come once more, from its first one on.
  mutating func repeatRequests(of part: RepeatedPart) {
    let again = sent.filter { part.contains($0.part) }
    // An attempt that ended early has not come to these.
    let left = awaited.filter { part.contains($0.entry.part) }.map(\.entry)
    most = max(most, again.count)
    sent.removeAll { part.contains($0.part) }
    awaited.removeAll { part.contains($0.entry.part) }
    awaited += (left.prefix(most - again.count) + again).map { Awaited(entry: $0, repeated: part) }
    awaited.sort { $0.entry.place > $1.entry.place }
  }

  /// Takes the place of a request of a part: the one that it had, if it comes once more.
  ///
  /// - Returns: The place, and the key that it went out with before, if it did with one.
  mutating func takePlace(
    of request: RequestSummary, in part: RepeatedPart
  ) -> (place: Int, key: String?) {
    let known = awaited.lastIndex {
      $0.entry.request == request && $0.repeated.contains(part)
    }
    if let known {
      let entry = awaited.remove(at: known).entry
      return (entry.place, entry.key)
    }
    defer { nextPlace += 1 }
    return (nextPlace, nil)
  }

  /// Notes the key that a request of a part goes out with.
  mutating func add(
    _ key: String?, for request: RequestSummary, at place: Int, in part: RepeatedPart
  ) {
    sent.append(Entry(request: request, key: key, place: place, part: part))
  }
}
