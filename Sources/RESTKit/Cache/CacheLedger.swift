/// What happened to answers while exchanges were under way, so that none of them brings back what is over.
///
/// An answer that was asked for before its target was invalidated may be what the target was before that, and
/// one that was asked for before another may be older than that.
struct CacheLedger: Sendable {
  /// What an answer takes the place of.
  private struct Place: Hashable, Sendable {
    let key: CacheKey
    let varying: [String: String?]
  }

  /// Counts the exchanges and what was forgotten.
  private var moment = 0
  /// When the answers of a target were forgotten last.
  private var forgotten: [String: Int] = [:]
  /// When the exchange began whose answer is kept.
  private var kept: [Place: Int] = [:]
  /// Nothing is kept that was asked for before.
  private var floor = 0
  /// The askers whose end drops what is theirs.
  private var watched: Set<CachePartition> = []

  /// How many targets and answers are remembered; beyond, what is under way is not kept.
  private static let most = 4_096

  /// The moment at which an exchange begins.
  mutating func begin() -> Int {
    moment += 1
    return moment
  }

  mutating func forget(_ targets: [String]) {
    moment += 1
    for url in targets { forgotten[url] = moment }
    if forgotten.count > Self.most { forgetExchanges() }
  }

  mutating func forgetAll() {
    moment += 1
    forgetExchanges()
  }

  /// Notes that an answer is kept, unless its exchange began too early for that.
  ///
  /// - Returns: Why it may not be kept; nil where it may.
  mutating func keep(_ response: StoredResponse, for key: CacheKey, since start: Int) -> String? {
    guard start >= floor, start >= forgotten[key.url] ?? 0 else {
      return "invalidated while it was under way"
    }
    let place = Place(key: key, varying: response.varying)
    guard start >= kept[place] ?? 0 else { return "a later answer is kept" }
    kept[place] = start
    if kept.count > Self.most { forgetExchanges() }
    return nil
  }

  /// Whether somebody has to begin to watch for the end of an asker.
  mutating func beginWatching(_ partition: CachePartition) -> Bool {
    watched.insert(partition).inserted
  }

  mutating func endWatching(_ partition: CachePartition) {
    watched.remove(partition)
  }

  private mutating func forgetExchanges() {
    floor = moment
    forgotten = [:]
    kept = [:]
  }
}
