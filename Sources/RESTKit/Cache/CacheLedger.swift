/// What was forgotten while exchanges were under way, so that none of them brings it back.
///
/// An answer that was asked for before its target was invalidated may be what the target was before that.
struct CacheLedger: Sendable {
  /// Counts what was forgotten.
  private(set) var moment = 0
  /// When the answers under a key were forgotten last.
  private var forgotten: [CacheKey: Int] = [:]
  /// Nothing is kept that was asked for before.
  private var floor = 0
  /// The askers whose end drops what is theirs.
  private var watched: Set<CachePartition> = []

  /// How many keys are remembered; beyond, all that is under way is not kept.
  private static let mostKeys = 4_096

  mutating func forget(_ keys: [CacheKey]) {
    moment += 1
    for key in keys { forgotten[key] = moment }
    if forgotten.count > Self.mostKeys { forgetExchanges() }
  }

  mutating func forgetAll() {
    moment += 1
    forgetExchanges()
  }

  /// Whether an answer may be kept that was asked for at a moment.
  func admits(_ key: CacheKey, since start: Int) -> Bool {
    start >= floor && start >= forgotten[key] ?? 0
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
  }
}
