/// The `Idempotency-Key` of each request of one call.
///
/// A request keeps the key of its first sending.
///
/// A modifier runs for each attempt and may then make another key, with which the server would see
/// a new request. A request of a repeated scope is recognized by a key of its own that was sent
/// before. Otherwise it is recognized by its method and URL; of several equal ones, one with the
/// same body comes before others, and then the one that was sent first. A changed body, such as one
/// with a time in it, keeps its key.
struct IdempotencyKeys: Sendable {
  static let field = "Idempotency-Key"

  private struct Entry: Sendable {
    let request: RequestSummary
    let body: BodyDigest
    var key: String?
    /// The position in the order of first sendings.
    let place: Int
    /// The numbers of the request's scopes, innermost first.
    let scopes: [Int]
    /// The number of repetitions that had begun at the last sending.
    let round: Int
  }

  private struct Awaited: Sendable {
    var entry: Entry
    /// The number of the scope that is sent again.
    let repeated: Int
  }

  /// The requests that were sent and have not begun again.
  private var sent: [Entry] = []
  /// The requests that are expected again, in reverse order of first sending, so that they are
  /// taken from the end.
  private var awaited: [Awaited] = []
  private var known: Set<String> = []
  private var nextPlace = 0
  private var round = 0
  /// The maximum number of entries of a scope: twice the number of requests in any attempt.
  ///
  /// It bounds the entries even if each attempt sends other requests.
  private var most = 100

  /// Records that the requests of a scope are repeated from the first one on.
  ///
  /// - Parameter scopes: The numbers of the scope and those around it, innermost first.
  mutating func repeatRequests(of scopes: [Int]) {
    guard let scope = scopes.first else { return }
    round += 1
    let again = sent.filter { $0.scopes.contains(scope) }
    // An attempt that ended early did not reach these requests.
    var left = awaited.filter { $0.entry.scopes.contains(scope) }
    sent.removeAll { $0.scopes.contains(scope) }
    awaited.removeAll { $0.entry.scopes.contains(scope) }
    most = max(most, 2 * again.count)
    if again.count + left.count > most {
      // The entries that have been missing for longest are removed; of one attempt, its last ones.
      left.sort { ($0.entry.round, $1.entry.place) > ($1.entry.round, $0.entry.place) }
      left.removeSubrange((most - again.count)...)
    }
    // A wider scope that expects a request continues to expect it.
    awaited += left.map {
      scopes.contains($0.repeated) ? $0 : Awaited(entry: $0.entry, repeated: scope)
    }
    awaited += again.map { Awaited(entry: $0, repeated: scope) }
    awaited.sort { $0.entry.place > $1.entry.place }
  }

  /// Records that a request is sent.
  ///
  /// - Parameters:
  ///   - body: The digest of its body.
  ///   - own: The key from the user, if there is one.
  ///   - scopes: The numbers of the request's scopes, innermost first.
  /// - Returns: The request's place, which is the former one for a repeated request, and its key;
  ///   nil if the key is still to be made, or if there is none.
  mutating func take(
    _ request: RequestSummary, body: BodyDigest, key own: String?, in scopes: [Int]
  ) -> (place: Int, key: String?) {
    let index = index(of: request, body: body, key: own, in: scopes)
    let entry = index.map { awaited.remove(at: $0).entry }
    let place = entry?.place ?? nextPlace
    if entry == nil { nextPlace += 1 }
    let key = entry?.key ?? own
    sent.append(
      Entry(request: request, body: body, key: key, place: place, scopes: scopes, round: round))
    if let key { known.insert(key) }
    return (place, key)
  }

  /// Returns the index of the entry that a request repeats.
  private func index(
    of request: RequestSummary, body: BodyDigest, key: String?, in scopes: [Int]
  ) -> Int? {
    func fits(_ awaited: Awaited) -> Bool {
      awaited.entry.request == request && scopes.contains(awaited.repeated)
    }
    guard let key, known.contains(key) else {
      return awaited.lastIndex { $0.entry.body == body && fits($0) }
        ?? awaited.lastIndex(where: fits)
    }
    return awaited.lastIndex { $0.entry.key == key && fits($0) }
  }

  /// Records the key that was made for the request at a place.
  mutating func note(_ key: String, at place: Int) {
    known.insert(key)
    if let index = sent.lastIndex(where: { $0.place == place }) {
      sent[index].key = key
    } else if let index = awaited.lastIndex(where: { $0.entry.place == place }) {
      // The scope has begun again in the meantime.
      awaited[index].entry.key = key
    }
  }
}
