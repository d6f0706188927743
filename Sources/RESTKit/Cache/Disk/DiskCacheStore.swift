import Foundation
import Streams

/// A store of responses in a folder, for all processes of a user that name the folder.
///
/// - The folder has mode 0700 and its files 0600. The store makes a missing folder. It rejects
///   another owner, a wider mode and a symbolic link.
/// - A file contains all responses under a key. It is written elsewhere, moved into place in one
///   step, and checked by a digest when it is read: however a write ends, a file is the old one or
///   the new one. A file that is damaged, or of another version, is a miss and is removed.
/// - A response that cannot be written is not stored: a full or read-only disk affects that
///   response only. This store never again reads a response that was to be replaced or removed.
/// - Writes run on a queue of the store. Its own reads see them at once. A process that is killed
///   loses the waiting writes.
/// - Several processes may use one folder. They write and remove one after another, under its lock.
///   A response that was requested before another process removed or replaced its key is not
///   written. Each process observes the limit by itself. Together they may exceed it by the bytes
///   that the others have written since the last count.
/// - If the limit is exceeded, the least recently used files are removed, by a clock of minutes.
/// - The responses of principals without a lasting name go to another store, and never to the disk.
///
/// The files are not encrypted. The digest does not stop a process that can write to the folder.
final class DiskCacheStore: CacheStore {
  private let folder: CacheFolder
  private let tombstones: CacheTombstones
  private let sweep: CacheSweep
  private let maxBytes: Int
  private let transient: any CacheStore
  private let onFailure: @Sendable (DiskCacheError) -> Void
  private let date: @Sendable () -> Date
  private let queue: DiskQueue

  private let pending = Lock(PendingChanges())
  private let marks = Lock(Marks())

  private struct Marks {
    var told: Set<DiskCacheError.Kind> = []
    /// The files that a later turn marks as used.
    var touched: Set<CacheFileName> = []
    var canTouch = true
    /// The latest failure of a removal, while one is not true on the disk.
    var failedRemoval: DiskCacheError?
    /// The latest failure to store that no report has named.
    var failedStore: DiskCacheError?
  }

  /// The maximum delay, in seconds, of a file's time of use, so that most hits write nothing.
  private static let timeStep = 60.0

  /// Opens a folder, or makes it.
  ///
  /// It reads no files yet.
  ///
  /// - Parameters:
  ///   - folder: A folder for this cache alone.
  ///   - maxBytes: The maximum size of the files in bytes.
  ///   - transient: The store for principals without a lasting name.
  ///   - onFailure: A closure that receives the failures to store or remove, once for each kind. It
  ///     runs on the store's queue.
  ///   - date: The wall clock, by which requests and removals are compared.
  /// - Throws: ``DiskCacheError``.
  convenience init(
    folder: URL, maxBytes: Int, transient: any CacheStore,
    onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in },
    date: @escaping @Sendable () -> Date = { Date() }
  ) throws(DiskCacheError) {
    try self.init(
      folder: folder, maxBytes: maxBytes, transient: transient, onFailure: onFailure, date: date,
      queue: DiskQueue())
  }

  init(
    folder: URL, maxBytes: Int, transient: any CacheStore,
    onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in },
    date: @escaping @Sendable () -> Date = { Date() },
    willReach: @escaping @Sendable (CacheFolder.Step) throws(POSIXError) -> Void = { _ in },
    queue: DiskQueue
  ) throws(DiskCacheError) {
    guard folder.isFileURL else { throw .notAFolder(folder.absoluteString) }
    self.folder = try CacheFolder(folder.absoluteURL.path, willReach: willReach)
    self.maxBytes = maxBytes
    self.transient = transient
    self.onFailure = onFailure
    self.date = date
    self.queue = queue
    tombstones = CacheTombstones(self.folder, date: date)
    sweep = CacheSweep(self.folder, tombstones, maxBytes: maxBytes)
    queue.add { [self] in
      do throws(DiskCacheError) {
        try sweep.removeLeftovers()
      } catch {
        tell(error)
      }
    }
  }
}

extension DiskCacheStore {
  func responses(for key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else { return transient.responses(for: key) }
    guard let change = pending.withLock({ $0.change(of: key) }) else { return read(key) }
    return change.applied(to: read(key))
  }

  var isLasting: Bool { true }

  func maxResponseBytes(in partition: CachePartition) -> Int {
    partition.isLasting
      ? DiskCacheEntry.maxBytes(in: maxBytes) : transient.maxResponseBytes(in: partition)
  }

  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else {
      if !key.partition.hasSecret {
        queue.add { self.tell(.transportWithoutRoad(self.folder.path)) }
      }
      return transient.keep(response, for: key)
    }
    let size = CacheFile.size(ofKey: key) + CacheFile.size(of: response)
    let isKept = DiskCacheEntry.isAllowed(size, in: maxBytes)
    let (turn, released) = pending.withLock { $0.keep(response, isKept: isKept, for: key) }
    if let turn { queue.add { self.write(turn, key) } }
    return released
  }

  @discardableResult
  func remove(_ key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else { return transient.remove(key) }
    let time = date()
    let (turn, released) = pending.withLock { $0.remove(key, at: time) }
    if let turn { queue.add { self.write(turn, key) } }
    return released
  }

  @discardableResult
  func removeAll(at url: String) -> [StoredResponse] {
    let released = pending.withLock { $0.removeAll(at: url) }
    let time = date()
    queue.add { self.remove(url, time) }
    return released + transient.removeAll(at: url)
  }

  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse] {
    guard partition.isLasting else { return transient.removeAll(of: partition) }
    let released = pending.withLock { $0.removeAll(of: partition) }
    let time = date()
    queue.add { self.remove(partition, time) }
    return released
  }

  @discardableResult
  func removeAll() -> [StoredResponse] {
    let released = pending.withLock { $0.removeAll() }
    let time = date()
    queue.add { self.removeEverything(time) }
    return released + transient.removeAll()
  }

  func settle() { queue.settle() }

  func finish() { queue.finish() }

  func whenDone(_ kind: CacheChangeKind, _ report: @escaping @Sendable (DiskCacheError?) -> Void) {
    queue.add(isSlow: true) {
      if kind == .all { self.retryRemovals() }
      self.folder.emptyRemoved()
      report(self.takeFailure(of: kind))
    }
  }
}

// The work that a call waits for.
extension DiskCacheStore {
  private func read(_ key: CacheKey) -> [StoredResponse] {
    let name = CacheFileName(key)
    // What cannot be read is a miss.
    guard let file = try? folder.read(name.path, limit: maxBytes) else { return [] }
    switch CacheFile.content(file.bytes, for: key) {
    case .responses(let responses):
      touch(name, file.status)
      return responses
    case .ofAnotherKey:
      return []
    case .damaged:
      queue.add { self.removeDamaged(name, key) }
      return []
    }
  }

  private func touch(_ name: CacheFileName, _ status: CacheFolder.Status) {
    // A time in the future would keep the file forever.
    guard abs(Date().timeIntervalSince1970 - status.modified) > Self.timeStep else { return }
    let isFirst = marks.withLock { $0.canTouch && $0.touched.insert(name).inserted }
    guard isFirst else { return }
    queue.add {
      let isTouched = self.folder.touch(name.path)
      self.marks.withLock {
        $0.touched.remove(name)
        if !isTouched { $0.canTouch = false }
      }
    }
  }
}

// The work on the queue.
extension DiskCacheStore {
  private func write(_ turn: Int, _ key: CacheKey) {
    guard let change = pending.withLock({ $0.begin(turn, for: key) }) else { return }
    let outcome = folder.exclusively { _ in put(change, under: key) }
    let released = pending.withLock { $0.end(turn, for: key, isStuck: outcome.isStuck) }
    withExtendedLifetime(released) {}
    if let failure = outcome.failure { fail(failure, isRemoval: outcome.isStuck) }
    if sweep.add(outcome.added) { queue.add(isSlow: true) { self.runSweep() } }
  }

  private func runSweep() {
    do throws(DiskCacheError) {
      try sweep.sweep()
    } catch {
      tell(error)
    }
  }

  /// What became of a change.
  private struct Outcome {
    /// The bytes that it added to the folder.
    var added: Int64 = 0
    var failure: DiskCacheError?
    /// Whether the disk still has responses that were to be replaced or removed, or other processes
    /// do not know of the removal.
    var isStuck = false
  }

  /// Makes a change true on the disk.
  private func put(_ change: PendingChanges.Change, under key: CacheKey) -> Outcome {
    let entry = DiskCacheEntry(key, in: folder, of: maxBytes)
    var old: Int64 = 0
    var isMarked = false
    func mark() throws(DiskCacheError) {
      if let time = change.removalTime, !isMarked { try tombstones.add(entry.name, at: time) }
      isMarked = true
    }
    var kept: [StoredResponse]?
    let failure: DiskCacheError
    do throws(DiskCacheError) {
      old = try entry.cost()
      try mark()
      kept = change.replacesAll ? [] : try entry.responses()
      let responses = change.written(
        over: kept ?? [], since: try tombstones.last(of: entry.name), upTo: tombstones.latest)
      return Outcome(added: try entry.replace(with: responses) - old)
    } catch {
      failure = error
    }
    // The responses that the change does not concern stay.
    let rest = kept?.filter { !change.isOutdated($0) } ?? []
    if let kept, !change.replacesAll, rest.count == kept.count {
      return Outcome(failure: failure)
    }
    do throws(DiskCacheError) {
      try folder.remove(entry.name.path)
    } catch {
      return Outcome(failure: error, isStuck: true)
    }
    // There may be room again.
    try? mark()
    let added = ((try? entry.replace(with: rest)) ?? 0) - old
    return Outcome(added: added, failure: failure, isStuck: !isMarked)
  }

  private func removeDamaged(_ name: CacheFileName, _ key: CacheKey) {
    let outcome = folder.exclusively { _ in
      Result { () throws(DiskCacheError) in
        // A complete file may have replaced it in the meantime.
        guard let file = try folder.read(name.path, limit: maxBytes),
          case .damaged = CacheFile.content(file.bytes, for: key)
        else { return }
        try folder.remove(name.path)
      }
    }
    if case .failure(let error) = outcome { tell(error) }
  }

  private func remove(_ partition: CachePartition, _ time: Date) {
    let name = CacheFileName.folder(partition)
    let isDone = remove { () throws(DiskCacheError) in
      try self.tombstones.add(ofPartition: name, at: time)
    } by: { () throws(DiskCacheError) in
      try self.folder.removeFolder(name)
    }
    if isDone { pending.withLock { $0.endRemoval(of: partition) } }
  }

  /// Removes a target over all roads, also over those that only other processes know.
  private func remove(_ target: String, _ time: Date) {
    let isDone = remove { () throws(DiskCacheError) in
      try self.tombstones.add(ofTarget: target, at: time)
    } by: { () throws(DiskCacheError) in
      for partition in try self.partitionFolders() {
        try self.folder.remove(CacheFileName.path(of: target, in: partition))
      }
    }
    if isDone { pending.withLock { $0.endRemoval(at: target) } }
  }

  private func removeEverything(_ time: Date) {
    let isDone = remove { () throws(DiskCacheError) in
      try self.tombstones.addOfAll(at: time)
    } by: { () throws(DiskCacheError) in
      for partition in try self.partitionFolders() { try self.folder.removeFolder(partition) }
    }
    if isDone { pending.withLock { $0.endRemoval() } }
  }

  /// The names of the folders of partitions.
  ///
  /// Other files in the folder do not belong to the cache.
  private func partitionFolders() throws(DiskCacheError) -> [String] {
    try folder.names(in: ".").filter { CacheFileName.digest(hex: $0) != nil }
  }

  /// Removes files, and leaves a tombstone.
  ///
  /// - Returns: Whether that is true for all processes.
  private func remove(
    leaving mark: () throws(DiskCacheError) -> Void,
    by removal: () throws(DiskCacheError) -> Void
  ) -> Bool {
    let outcome = folder.exclusively { _ in
      Result { () throws(DiskCacheError) in
        let isMarked = (try? mark()) != nil
        try removal()
        guard !isMarked else { return }
        // Without the files, there may be room for it.
        folder.emptyRemoved()
        try mark()
      }
    }
    folder.emptyRemoved()
    guard case .failure(let error) = outcome else { return true }
    fail(error, isRemoval: true)
    return false
  }

  /// Tries again what could not be removed, and is only hidden.
  private func retryRemovals() {
    let stuck = pending.withLock { $0.stuck }
    if stuck.isAll { removeEverything(date()) }
    for partition in stuck.partitions { remove(partition, date()) }
    for target in stuck.targets { remove(target, date()) }
    for key in stuck.keys {
      if let turn = pending.withLock({ $0.reschedule(key) }) { write(turn, key) }
    }
  }

  private func takeFailure(of kind: CacheChangeKind) -> DiskCacheError? {
    let stuck = pending.withLock { $0.stuck }
    return marks.withLock { marks in
      // Each report fails until all is removed: it cannot know whose removal failed.
      if !stuck.hasAny { marks.failedRemoval = nil }
      return marks.failedRemoval ?? (kind == .all ? marks.failedStore.take() : nil)
    }
  }

  /// Notes a failure for the next report, and tells it to the owner.
  private func fail(_ error: DiskCacheError, isRemoval: Bool) {
    marks.withLock { marks in
      if isRemoval { marks.failedRemoval = error } else { marks.failedStore = error }
    }
    tell(error)
  }

  private func tell(_ error: DiskCacheError) {
    if marks.withLock({ $0.told.insert(error.kind).inserted }) { onFailure(error) }
  }
}
