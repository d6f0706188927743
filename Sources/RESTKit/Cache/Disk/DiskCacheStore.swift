import Foundation
import Streams

/// Keeps answers in a folder, for all processes of a user that name it.
///
/// - The folder has mode 0700 and its files 0600. It is made where it is missing; another owner, a wider
///   mode and a symbolic link are refused.
/// - A file holds all answers under a key. It is written beside and put in its place in one step, and it is
///   checked by a digest when it is read: whatever stops a write, a file is the old one or the new one. A
///   file that is damaged, or another version's, is a miss and goes.
/// - What cannot be written is not kept: a disk that is full or can only be read costs that answer and no
///   other. What was to take the place of another, or to go, is never read again by this store.
/// - Writes run on a queue of the store and are seen at once by its own reads. A process that is killed
///   loses those that wait.
/// - Several processes may use one folder. Two that keep answers for one key at once may lose one of the
///   variants (`Vary`). Each looks after the limit by itself: together they may pass it, by what the others
///   have written since it last counted.
/// - Where the limit is passed, the files go that were used longest ago, by a clock of minutes.
/// - The answers of askers who have no lasting name go to another store, and never to the disk.
///
/// It is not encrypted, and its digest does not stop whoever can write into the folder.
final class DiskCacheStore: CacheStore {
  private let folder: CacheFolder
  private let sweep: CacheSweep
  private let maxBytes: Int
  private let transient: any CacheStore
  private let onFailure: @Sendable (DiskCacheError) -> Void
  /// Runs what it is given later, one after another.
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  private let pending = Lock(PendingChanges())
  private let marks = Lock(Marks())

  private struct Marks {
    var told: Set<DiskCacheError.Kind> = []
    /// What is marked as used in turns to come.
    var touched: Set<CacheFileName> = []
    var canTouch = true
  }

  /// Which part of the limit a file may take.
  ///
  /// One that took more would push out too much of what is used, and may never be asked for again.
  private static let largestPart = 8
  /// How many answers a key may have: each look-up reads them all.
  private static let mostVariants = 32
  /// How long a file's time may be behind its use, in seconds, so that most hits write nothing.
  private static let timeStep = 60.0

  /// Opens a folder, or makes it.
  ///
  /// Nothing in it is read yet, however much it is.
  ///
  /// - Parameters:
  ///   - folder: A folder for this cache alone.
  ///   - maxBytes: How much the files may take.
  ///   - transient: Where the answers of askers without a lasting name are kept.
  ///   - onFailure: What cannot be kept, or removed: once for each kind. It is called on the store's queue.
  /// - Throws: ``DiskCacheError``.
  convenience init(
    folder: URL, maxBytes: Int, transient: any CacheStore,
    onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in }
  ) throws(DiskCacheError) {
    let queue = DispatchQueue(label: "RESTKit.DiskCacheStore", qos: .utility)
    try self.init(
      folder: folder, maxBytes: maxBytes, transient: transient, onFailure: onFailure,
      enqueue: { queue.async(execute: $0) })
  }

  init(
    folder: URL, maxBytes: Int, transient: any CacheStore,
    onFailure: @escaping @Sendable (DiskCacheError) -> Void = { _ in },
    willReach: @escaping @Sendable (CacheFolder.Step) throws(POSIXError) -> Void = { _ in },
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws(DiskCacheError) {
    guard folder.isFileURL else { throw .notAFolder(folder.absoluteString) }
    self.folder = try CacheFolder(folder.absoluteURL.path, willReach: willReach)
    self.maxBytes = maxBytes
    self.transient = transient
    self.onFailure = onFailure
    self.enqueue = enqueue
    sweep = CacheSweep(self.folder, maxBytes: maxBytes)
    enqueue { [sweep] in sweep.removeLeftovers() }
  }
}

extension DiskCacheStore {
  func responses(for key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else { return transient.responses(for: key) }
    guard let change = pending.withLock({ $0.change(of: key) }) else { return read(key) }
    return change.applied(to: read(key))
  }

  func maxAnswerBytes(in partition: CachePartition) -> Int {
    partition.isLasting
      ? maxBytes / Self.largestPart : transient.maxAnswerBytes(in: partition)
  }

  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else { return transient.keep(response, for: key) }
    let size = CacheFile.size(ofKey: key) + CacheFile.size(of: response)
    let isKept = isAllowed(size)
    let (turn, released) = pending.withLock { $0.keep(response, isKept: isKept, for: key) }
    if let turn { enqueue { self.write(turn, key) } }
    return released
  }

  @discardableResult
  func remove(_ key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else { return transient.remove(key) }
    let (turn, released) = pending.withLock { $0.remove(key) }
    if let turn { enqueue { self.write(turn, key) } }
    return released
  }

  @discardableResult
  func removeAll(at url: String) -> [StoredResponse] {
    // Nobody else has a lasting name.
    remove(CacheKey(url: url, partition: .anonymous)) + transient.removeAll(at: url)
  }

  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse] {
    guard partition.isLasting else { return transient.removeAll(of: partition) }
    let released = pending.withLock { $0.removeAll(of: partition) }
    enqueue {
      guard self.removeFolders([CacheFileName.folder(partition)]) else { return }
      self.pending.withLock { $0.endRemoval(of: partition) }
    }
    return released
  }

  @discardableResult
  func removeAll() -> [StoredResponse] {
    let released = pending.withLock { $0.removeAll() }
    enqueue {
      // What else is in the folder is not the cache's.
      let folders = self.folder.names(in: ".").filter { CacheFileName.digest(hex: $0) != nil }
      guard self.removeFolders(folders) else { return }
      self.pending.withLock { $0.endRemoval() }
    }
    return released + transient.removeAll()
  }

  private func isAllowed(_ size: Int) -> Bool {
    CacheSweep.cost(size) <= maxBytes / Self.largestPart
  }
}

// What a call waits for.
extension DiskCacheStore {
  private func read(_ key: CacheKey) -> [StoredResponse] {
    let name = CacheFileName(key)
    guard let file = folder.read(name.path, limit: maxBytes) else { return [] }
    switch CacheFile.content(file.bytes, for: key) {
    case .responses(let responses):
      touch(name, file.status)
      return responses
    case .ofAnotherKey:
      return []
    case .damaged:
      enqueue { self.removeDamaged(name, key) }
      return []
    }
  }

  private func touch(_ name: CacheFileName, _ status: CacheFolder.Status) {
    // A time in the future would keep it for ever.
    guard abs(Date().timeIntervalSince1970 - status.modified) > Self.timeStep else { return }
    let isFirst = marks.withLock { $0.canTouch && $0.touched.insert(name).inserted }
    guard isFirst else { return }
    enqueue {
      let isTouched = self.folder.touch(name.path)
      self.marks.withLock {
        $0.touched.remove(name)
        if !isTouched { $0.canTouch = false }
      }
    }
  }
}

// What runs on the queue.
extension DiskCacheStore {
  private func write(_ turn: Int, _ key: CacheKey) {
    guard let change = pending.withLock({ $0.begin(turn, for: key) }) else { return }
    let name = CacheFileName(key)
    let responses = fitting(change.applied(to: read(key)), for: key)
    let old = folder.status(of: name.path).map { CacheSweep.cost($0.size) } ?? 0
    var isStuck = false
    var added = -old
    if !responses.isEmpty {
      let bytes = CacheFile.bytes(responses, for: key)
      do {
        try folder.write(bytes, to: name)
        added += CacheSweep.cost(bytes.count)
      } catch {
        tell(error)
        isStuck = !remove(name)
      }
    } else {
      isStuck = !remove(name)
    }
    let released = pending.withLock { $0.end(turn, for: key, isStuck: isStuck) }
    withExtendedLifetime(released) {}
    guard !isStuck else { return }
    do {
      try sweep.add(added)
    } catch {
      tell(error)
    }
  }

  /// As many of the answers, latest first, as one file may hold.
  private func fitting(_ responses: [StoredResponse], for key: CacheKey) -> [StoredResponse] {
    var size = CacheFile.size(ofKey: key)
    var fitting: [StoredResponse] = []
    for response in responses.prefix(Self.mostVariants) {
      size += CacheFile.size(of: response)
      guard isAllowed(size) else { break }
      fitting.append(response)
    }
    return fitting
  }

  /// Whether it is gone.
  private func remove(_ name: CacheFileName) -> Bool {
    do {
      try folder.remove(name.path)
      return true
    } catch {
      tell(error)
      return false
    }
  }

  private func removeDamaged(_ name: CacheFileName, _ key: CacheKey) {
    // A whole one may have come into its place meanwhile.
    guard let file = folder.read(name.path, limit: maxBytes),
      case .damaged = CacheFile.content(file.bytes, for: key)
    else { return }
    _ = remove(name)
  }

  /// Whether all are gone.
  private func removeFolders(_ names: [String]) -> Bool {
    do {
      for name in names { try folder.removeFolder(name) }
      return true
    } catch {
      tell(error)
      return false
    }
  }

  private func tell(_ error: DiskCacheError) {
    if marks.withLock({ $0.told.insert(error.kind).inserted }) { onFailure(error) }
  }
}
