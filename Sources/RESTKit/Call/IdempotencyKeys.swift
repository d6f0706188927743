/// The `Idempotency-Key` of each request of one call: the one of its first sending goes with all.
///
/// A modifier runs for each attempt and may make another key then, with which the server would take
/// the request for a new one. A pipeline can send several requests, so they are told apart by their
/// order within an attempt, and by method and URL.
struct IdempotencyKeys: Sendable {
  static let field = "Idempotency-Key"

  private struct Entry: Sendable {
    let request: RequestSummary
    var key: String?
  }

  /// Makes a key for a request of one of the other methods.
  struct Maker: Sendable {
    let make: @Sendable () -> String
    let exceptions: Set<HTTPMethod>
  }

  private var maker: Maker?
  private var entries: [Entry] = []
  private var position = 0
  /// The requests of this attempt that come once more, in order.
  private var awaited: [Int] = []

  /// Notes that an attempt begins: the requests come again, from the first on.
  ///
  /// - Parameter maker: What makes keys for requests that have none, if anything.
  /// - Returns: What made them until now, to be released without a lock.
  @discardableResult
  mutating func beginAttempt(with maker: Maker?) -> Maker? {
    defer { self.maker = maker }
    position = 0
    awaited = []
    return self.maker
  }

  /// The place of the next request, for `beginRepetition(since:)`: where requests come once more, that
  /// of the first of them.
  var place: Int { awaited.first ?? position }

  /// Notes that the requests since a place come once more within this attempt, behind a refresh, besides
  /// those that do so already.
  mutating func beginRepetition(since start: Int) {
    let repeated = min(start, position)..<position
    awaited = (awaited.filter { !repeated.contains($0) } + repeated).sorted()
  }

  /// What makes a key for a request that has none; nil where it needs none.
  func maker(for method: HTTPMethod) -> (@Sendable () -> String)? {
    maker.flatMap { $0.exceptions.contains(method) ? nil : $0.make }
  }

  /// The key that a request went out with before: nil where it did not, or without one.
  func key(of request: RequestSummary) -> String? {
    if let again = awaited.first(where: { entries[$0].request == request }) {
      return entries[again].key
    }
    guard position < entries.count, entries[position].request == request else { return nil }
    return entries[position].key
  }

  /// Notes the key that the next request goes out with.
  mutating func add(_ key: String?, for request: RequestSummary) {
    if let again = awaited.firstIndex(where: { entries[$0].request == request }) {
      entries[awaited.remove(at: again)].key = key
      return
    }
    if position < entries.count, entries[position].request == request {
      entries[position].key = key
    } else {
      // From here on the pipeline goes another way than before.
      entries.removeSubrange(position...)
      entries.append(Entry(request: request, key: key))
    }
    position += 1
  }
}
