import Foundation

/// The changes that a disk store has not yet written, so that its reads see them at once.
///
/// Each change is written in a turn of the store's queue. A turn does nothing if its change has
/// become part of a later one or was undone by a removal. The methods return released responses, so
/// that the caller releases them without a lock.
struct PendingChanges {
  /// The turn to schedule, or nil if a later turn does the work, and the released responses.
  typealias Scheduled = (turn: Int?, released: [StoredResponse])

  /// A change of the responses under a key.
  struct Change {
    /// Whether nothing on the disk remains.
    fileprivate(set) var replacesAll: Bool
    /// The time of the removal that is part of the change; nil if there is none.
    fileprivate(set) var removalTime: Date?
    /// The responses by varying fields, latest first; nil for a removal.
    fileprivate(set) var responses: [(varying: [String: ExactText?], response: StoredResponse?)] =
      []

    fileprivate var turn = 0
    /// Whether a later turn will write the change.
    fileprivate var isScheduled = false

    /// Returns the remaining responses, latest first.
    ///
    /// - Parameter kept: The responses on the disk, which are not read if none of them remains.
    func applied(to kept: @autoclosure () -> [StoredResponse]) -> [StoredResponse] {
      let new = responses.compactMap(\.response)
      if replacesAll { return new }
      return new
        + kept().filter { old in !responses.contains { $0.varying == old.varying } }
    }

    /// Returns the responses to write, latest first.
    ///
    /// Other processes may have changed the disk. A response is left out if theirs was requested
    /// later, or if they removed the key after its request.
    ///
    /// - Parameters:
    ///   - kept: The responses on the disk.
    ///   - removal: The time of the last removal.
    ///   - latest: The latest time at which a request can have been sent. A later one is of a wrong
    ///     clock.
    func written(
      over kept: [StoredResponse], since removal: Date, upTo latest: Date
    ) -> [StoredResponse] {
      let kept = replacesAll ? [] : kept.filter { $0.requestTime >= removal }
      let new = responses.filter { new in
        guard let response = new.response else { return true }
        return response.requestTime >= removal
          && !kept.contains {
            $0.varying == new.varying && $0.requestTime > response.requestTime
              && $0.requestTime <= latest
          }
      }
      return new.compactMap(\.response)
        + kept.filter { old in !new.contains { $0.varying == old.varying } }
    }

    /// Whether a response on the disk must not stay there.
    func isOutdated(_ old: StoredResponse) -> Bool {
      replacesAll || responses.contains { $0.varying == old.varying }
    }

    fileprivate var waiting: [StoredResponse] { responses.compactMap(\.response) }

    fileprivate var size: Int {
      responses.reduce(0) { $0 + ($1.response.map { CacheFile.size(of: $0) } ?? 0) }
    }
  }

  struct Stuck {
    let isAll: Bool
    let partitions: [CachePartition]
    let targets: [String]
    let keys: [CacheKey]

    var hasAny: Bool { isAll || !partitions.isEmpty || !targets.isEmpty || !keys.isEmpty }
  }

  private var changes: [CacheKey: Change] = [:]
  /// The partitions that are to be removed from the disk as a whole.
  ///
  /// They are not read before.
  ///
  /// The first turn removes a partition from this set, even if a second one waits: the second
  /// removal has undone everything in between.
  private var removed: Set<CachePartition> = []
  /// The targets that are to be removed from the disk in all partitions, in the same way.
  private var removedTargets: Set<String> = []
  private var isAllRemoved = false
  private var lastTurn = 0
  private var size = 0

  /// The maximum size of waiting responses in bytes.
  ///
  /// A disk that is slower than the network must not fill the memory.
  private static let mostWaiting = 32 << 20

  /// Returns the change under a key; nil if the disk is up to date.
  func change(of key: CacheKey) -> Change? {
    changes[key] ?? (isRemoved(key) ? Change(replacesAll: true) : nil)
  }

  /// Stores a response and replaces the one with the same varying fields.
  ///
  /// - Parameter isKept: Whether the response is stored. If not, the old one is only removed.
  mutating func keep(
    _ response: StoredResponse, isKept: Bool, for key: CacheKey
  ) -> Scheduled {
    var change = changes[key] ?? Change(replacesAll: isRemoved(key))
    size -= change.size
    let released = change.waiting
    change.responses.removeAll { $0.varying == response.varying }
    let isWaiting =
      isKept && (size == 0 || size + CacheFile.size(of: response) <= Self.mostWaiting)
    change.responses.insert((response.varying, isWaiting ? response : nil), at: 0)
    size += change.size
    return (schedule(change, for: key), released)
  }

  mutating func remove(_ key: CacheKey, at time: Date) -> Scheduled {
    var change = changes[key] ?? Change(replacesAll: true)
    size -= change.size
    let released = change.waiting
    change.replacesAll = true
    change.removalTime = time
    change.responses = []
    return (schedule(change, for: key), released)
  }

  /// Drops the waiting changes of a partition, and hides its responses on the disk.
  mutating func removeAll(of partition: CachePartition) -> [StoredResponse] {
    removed.insert(partition)
    return drop { $0.partition == partition }
  }

  /// Drops the waiting changes of a target, and hides its responses on the disk in all partitions.
  mutating func removeAll(at target: String) -> [StoredResponse] {
    removedTargets.insert(target)
    return drop { $0.url == target }
  }

  /// Drops all waiting changes, and hides the responses on the disk.
  mutating func removeAll() -> [StoredResponse] {
    isAllRemoved = true
    return drop { _ in true }
  }

  /// Returns the change of a turn, if there is one.
  ///
  /// Later changes get another turn.
  mutating func begin(_ turn: Int, for key: CacheKey) -> Change? {
    guard let change = changes[key], change.turn == turn else { return nil }
    changes[key]?.isScheduled = false
    return change
  }

  /// Records that a turn has written its change.
  ///
  /// - Parameter isStuck: Whether the disk still has responses that were to be removed and must
  ///   stay hidden.
  /// - Returns: The released responses.
  mutating func end(_ turn: Int, for key: CacheKey, isStuck: Bool) -> [StoredResponse] {
    guard let change = changes[key], change.turn == turn else { return [] }
    size -= change.size
    changes[key] =
      isStuck ? Change(replacesAll: true, removalTime: change.removalTime, turn: turn) : nil
    return change.waiting
  }

  /// The removals that are hidden and not true on the disk, although their turn has come.
  var stuck: Stuck {
    let keys = changes.filter { $0.value.replacesAll && !$0.value.isScheduled }.keys
    return Stuck(
      isAll: isAllRemoved, partitions: Array(removed), targets: Array(removedTargets),
      keys: Array(keys))
  }

  /// Schedules a stuck removal once more.
  mutating func reschedule(_ key: CacheKey) -> Int? {
    changes[key].flatMap { schedule($0, for: key) }
  }

  /// Records that a partition is removed from the disk.
  mutating func endRemoval(of partition: CachePartition) { removed.remove(partition) }

  /// Records that a target is removed from the disk.
  mutating func endRemoval(at target: String) { removedTargets.remove(target) }

  /// Records that everything is removed from the disk.
  mutating func endRemoval() {
    removed = []
    removedTargets = []
    isAllRemoved = false
  }

  private func isRemoved(_ key: CacheKey) -> Bool {
    isAllRemoved || removed.contains(key.partition) || removedTargets.contains(key.url)
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
