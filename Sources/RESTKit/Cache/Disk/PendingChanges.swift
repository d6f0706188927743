/// What a disk store was asked to do and has not done yet, so that those who ask for it see it at once.
///
/// Each change is done in a turn of the store's queue. A turn that comes too late, as the change went
/// into a later one or was undone by a removal, finds nothing to do. What is let go of is returned, to be
/// released without a lock.
struct PendingChanges {
  /// A turn to schedule, nil where one to come does it, and what is let go of.
  typealias Scheduled = (turn: Int?, released: [StoredResponse])

  /// What becomes of the answers under a key.
  struct Change {
    /// Whether nothing stays of what is on the disk.
    fileprivate(set) var replacesAll: Bool
    /// By varying fields, latest first; nil for one that goes.
    fileprivate(set) var responses: [(varying: [String: String?], response: StoredResponse?)] = []

    fileprivate var turn = 0
    /// Whether a turn to come will do it.
    fileprivate var isScheduled = false

    /// The answers that are left, latest first.
    ///
    /// - Parameter kept: Those on the disk, which are not looked at where none of them stays.
    func applied(to kept: @autoclosure () -> [StoredResponse]) -> [StoredResponse] {
      let new = responses.compactMap(\.response)
      if replacesAll { return new }
      return new
        + kept().filter { old in !responses.contains { $0.varying == old.varying } }
    }

    fileprivate var waiting: [StoredResponse] { responses.compactMap(\.response) }

    fileprivate var size: Int {
      responses.reduce(0) { $0 + ($1.response.map { CacheFile.size(of: $0) } ?? 0) }
    }
  }

  private var changes: [CacheKey: Change] = [:]
  /// What is to go from the disk as a whole; nothing of it is read before.
  ///
  /// The first turn that is done takes a partition out, also where a second one waits: whatever came
  /// between them was undone by the second.
  private var removed: Set<CachePartition> = []
  private var isAllRemoved = false
  private var lastTurn = 0
  private var size = 0

  /// How much may wait to be written, in bytes: a disk that is slower than the network is not to fill
  /// the memory.
  private static let mostWaiting = 32 << 20

  /// What is to be done under a key; nil where the disk has it all.
  func change(of key: CacheKey) -> Change? {
    changes[key] ?? (isRemoved(key.partition) ? Change(replacesAll: true) : nil)
  }

  /// Puts an answer in the place of the one with the same varying fields.
  ///
  /// - Parameter isKept: False for one that only takes the old one away.
  mutating func keep(
    _ response: StoredResponse, isKept: Bool, for key: CacheKey
  ) -> Scheduled {
    var change = changes[key] ?? Change(replacesAll: isRemoved(key.partition))
    size -= change.size
    let released = change.waiting
    change.responses.removeAll { $0.varying == response.varying }
    let isWaiting =
      isKept && (size == 0 || size + CacheFile.size(of: response) <= Self.mostWaiting)
    change.responses.insert((response.varying, isWaiting ? response : nil), at: 0)
    size += change.size
    return (schedule(change, for: key), released)
  }

  mutating func remove(_ key: CacheKey) -> Scheduled {
    var change = changes[key] ?? Change(replacesAll: true)
    size -= change.size
    let released = change.waiting
    change.replacesAll = true
    change.responses = []
    return (schedule(change, for: key), released)
  }

  /// Undoes what waits for a partition, and hides what the disk has of it.
  mutating func removeAll(of partition: CachePartition) -> [StoredResponse] {
    removed.insert(partition)
    return drop { $0.partition == partition }
  }

  /// Undoes all that waits, and hides what the disk has.
  mutating func removeAll() -> [StoredResponse] {
    isAllRemoved = true
    return drop { _ in true }
  }

  /// What a turn has to do, if anything; what comes from now on has a turn of its own.
  mutating func begin(_ turn: Int, for key: CacheKey) -> Change? {
    guard let change = changes[key], change.turn == turn else { return nil }
    changes[key]?.isScheduled = false
    return change
  }

  /// Says that a turn has done its change.
  ///
  /// - Parameter isStuck: Whether the disk still has what was to go, and nobody may see any more.
  /// - Returns: What is let go of.
  mutating func end(_ turn: Int, for key: CacheKey, isStuck: Bool) -> [StoredResponse] {
    guard let change = changes[key], change.turn == turn else { return [] }
    size -= change.size
    changes[key] = isStuck ? Change(replacesAll: true, turn: turn) : nil
    return change.waiting
  }

  /// Says that a partition is off the disk.
  mutating func endRemoval(of partition: CachePartition) { removed.remove(partition) }

  /// Says that everything is off the disk.
  mutating func endRemoval() {
    removed = []
    isAllRemoved = false
  }

  private func isRemoved(_ partition: CachePartition) -> Bool {
    isAllRemoved || removed.contains(partition)
  }

  private mutating func drop(where isDropped: (CacheKey) -> Bool) -> [StoredResponse] {
    var released: [StoredResponse] = []
    for (key, change) in changes where isDropped(key) {
      size -= change.size
      released += change.waiting
      changes[key] = nil
    }
    return released
  }

  private mutating func schedule(_ change: Change, for key: CacheKey) -> Int? {
    changes[key] = change
    if change.isScheduled { return nil }
    lastTurn += 1
    changes[key]?.turn = lastTurn
    changes[key]?.isScheduled = true
    return lastTurn
  }
}
