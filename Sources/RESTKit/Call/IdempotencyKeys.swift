/// The `Idempotency-Key` of each request of one call: the one of its first sending goes with all.
///
/// A modifier runs for each attempt and may make another key then, with which the server would take
/// the request for a new one. A request of a part that is sent again is known by a key of its own that
/// went out before; else by its method and URL, and of several that have the same, the first one that
/// was sent comes first.
struct IdempotencyKeys: Sendable {
  static let field = "Idempotency-Key"

  private struct Entry: Sendable {
    let request: RequestSummary
    var key: String?
    /// Where it stands in the order of first sendings.
    let place: Int
    /// The innermost part that sent it.
    let part: RepeatedPart
    /// How many repetitions had begun when it was sent last.
    let round: Int
  }

  private struct Awaited: Sendable {
    var entry: Entry
    /// The part that is sent again.
    let repeated: RepeatedPart
  }

  /// What was sent, and not begun anew since.
  private var sent: [Entry] = []
  /// What comes once more; what was sent first last, to be taken from the end.
  private var awaited: [Awaited] = []
  private var known: Set<String> = []
  private var nextPlace = 0
  private var round = 0
  /// How much of a part is remembered: twice what any attempt of it has sent, and no more than that
  /// where each goes another way.
  private var most = 100

  /// Notes that the requests of a part come once more, from its first one on.
  mutating func repeatRequests(of part: RepeatedPart) {
    round += 1
    let again = sent.filter { part.contains($0.part) }
    // An attempt that ended early has not come to these.
    var left = awaited.filter { part.contains($0.entry.part) }
    sent.removeAll { part.contains($0.part) }
    awaited.removeAll { part.contains($0.entry.part) }
    most = max(most, 2 * again.count)
    if again.count + left.count > most {
      // What has not come for longest is forgotten, and of one attempt what it sent last.
      left.sort { ($0.entry.round, $1.entry.place) > ($1.entry.round, $0.entry.place) }
      left.removeSubrange((most - again.count)...)
    }
    // A wider part that awaits one goes on to do so.
    awaited += left.map {
      $0.repeated.contains(part) ? $0 : Awaited(entry: $0.entry, repeated: part)
    }
    awaited += again.map { Awaited(entry: $0, repeated: part) }
    awaited.sort { $0.entry.place > $1.entry.place }
  }

  /// Notes that a request of a part goes out.
  ///
  /// - Parameter own: The key that its user gave it, if there is one.
  /// - Returns: Its place, the one that it had where it comes once more, and the key that it goes out
  ///   with; nil where one is to be made, if any is.
  mutating func take(
    _ request: RequestSummary, key own: String?, in part: RepeatedPart
  ) -> (place: Int, key: String?) {
    let entry = index(of: request, key: own, in: part).map { awaited.remove(at: $0).entry }
    let place = entry?.place ?? nextPlace
    if entry == nil { nextPlace += 1 }
    let key = entry?.key ?? own
    sent.append(Entry(request: request, key: key, place: place, part: part, round: round))
    if let key { known.insert(key) }
    return (place, key)
  }

  /// Where what a request repeats stands.
  private func index(of request: RequestSummary, key: String?, in part: RepeatedPart) -> Int? {
    func fits(_ awaited: Awaited) -> Bool {
      awaited.entry.request == request && awaited.repeated.contains(part)
    }
    guard let key, known.contains(key) else { return awaited.lastIndex(where: fits) }
    return awaited.lastIndex { $0.entry.key == key && fits($0) }
  }

  /// Notes the key that was made for the request at a place.
  mutating func note(_ key: String, at place: Int) {
    known.insert(key)
    if let index = sent.lastIndex(where: { $0.place == place }) {
      sent[index].key = key
    } else if let index = awaited.lastIndex(where: { $0.entry.place == place }) {
      // The part was begun anew meanwhile.
      awaited[index].entry.key = key
    }
  }
}
