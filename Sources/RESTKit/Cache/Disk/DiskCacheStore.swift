import Foundation
import Streams

/// A store of responses in a folder, for all processes of a user that name the folder.
///
/// - The folder has mode 0700 and its files 0600. The store makes a missing folder. It rejects another
///   owner, a wider mode and a symbolic link.
/// - A file contains all responses under a key. It is written elsewhere, moved into place in one step,
///   and checked by a digest when it is read: however a write ends, a file is the old one or the new
///   one. A file that is damaged, or of another version, is a miss and is removed.
/// - A response that cannot be written is not stored: a full or read-only disk affects that response
///   only. This store never again reads a response that was to be replaced or removed.
/// - Writes run on a queue of the store. Its own reads see them at once. A process that is killed loses
///   the waiting writes.
/// - Several processes may use one folder. If two store responses for one key at once, one of the
///   variants (`Vary`) may be lost. Each process observes the limit by itself. Together they may exceed
///   it by the bytes that the others have written since the last count.
/// - If the limit is exceeded, the least recently used files are removed, by a clock of minutes.
/// - The responses of principals without a lasting name go to another store, and never to the disk.
///
/// The files are not encrypted. The digest does not stop a process that can write to the folder.
final class DiskCacheStore: CacheStore {
  private let folder: CacheFolder
  private let sweep: CacheSweep
  private let maxBytes: Int
  private let transient: any CacheStore
  private let onFailure: @Sendable (DiskCacheError) -> Void
  /// A function that runs closures later, one after another.
  private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  private let pending = Lock(PendingChanges())
  private let marks = Lock(Marks())

  private struct Marks {
    var told: Set<DiskCacheError.Kind> = []
    /// The files that a later turn marks as used.
    var touched: Set<CacheFileName> = []
    var canTouch = true
    /// The lasting partitions that this process has used.
    var partitions: Set<CachePartition> = [.anonymous]
  }

  /// The divisor of the limit that gives the maximum size of a file.
  ///
  /// A larger file would replace too many files in use, and may never be requested again.
  private static let largestPart = 8
  /// The maximum number of responses under a key: each look-up reads them all.
  private static let mostVariants = 32
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
    note(key.partition)
    guard let change = pending.withLock({ $0.change(of: key) }) else { return read(key) }
    return change.applied(to: read(key))
  }

  var isLasting: Bool { true }

  func maxResponseBytes(in partition: CachePartition) -> Int {
    partition.isLasting
      ? maxBytes / Self.largestPart : transient.maxResponseBytes(in: partition)
  }

  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse] {
    guard key.partition.isLasting else {
      if !key.partition.hasSecret { enqueue { self.tell(.transportWithoutRoad(self.folder.path)) } }
      return transient.keep(response, for: key)
    }
    note(key.partition)
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
    let partitions = marks.withLock { $0.partitions }
    return partitions.flatMap { remove(CacheKey(url: url, partition: $0)) }
      + transient.removeAll(at: url)
  }

  private func note(_ partition: CachePartition) {
    guard partition != .anonymous else { return }
    marks.withLock { _ = $0.partitions.insert(partition) }
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
      // Other files in the folder do not belong to the cache.
      let folders = self.folder.names(in: ".").filter { CacheFileName.digest(hex: $0) != nil }
      guard self.removeFolders(folders) else { return }
      self.pending.withLock { $0.endRemoval() }
    }
    return released + transient.removeAll()
  }

  private func isAllowed(_ size: Int) -> Bool {
    CacheSweep.cost(Int64(size)) <= Int64(maxBytes / Self.largestPart)
  }
}

// The work that a call waits for.
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
    // A time in the future would keep the file forever.
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

// The work on the queue.
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
        added += CacheSweep.cost(Int64(bytes.count))
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

  /// Returns as many of the responses, latest first, as one file may contain.
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

  /// Returns whether the file is gone.
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
    // A complete file may have replaced it in the meantime.
    guard let file = folder.read(name.path, limit: maxBytes),
      case .damaged = CacheFile.content(file.bytes, for: key)
    else { return }
    _ = remove(name)
  }

  /// Returns whether all folders are gone.
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

/// An error of a cache's folder, or of a response that could not be stored in it.
///
/// Its texts name the path and the remedy, and contain nothing of a response or its URL.
public struct DiskCacheError: Error, Sendable, Equatable {
  /// The class of an error.
  public enum Kind: Sendable, Hashable {
    /// The name belongs to something else than a folder, such as a file or a symbolic link, or the URL
    /// is not a file URL.
    case notAFolder
    /// The folder belongs to another user.
    case wrongOwner
    /// Other users may list the folder, or access its contents.
    case openToOthers
    /// The disk has no room for a response.
    case noSpace
    /// Another process cannot identify a transport, so the responses over it stay in memory.
    case transportWithoutRoad
    /// The system refused a call with this code.
    case system(POSIXErrorCode)
  }

  /// The class of the error.
  public let kind: Kind
  /// The path of the file or folder.
  public let path: String
  /// The reason, in words.
  public let reason: String
  /// The remedy, in words.
  public let remedy: String
}

extension DiskCacheError: CustomStringConvertible, LocalizedError {
  public var description: String { "The cache's \(path) \(reason). \(remedy)" }

  public var errorDescription: String? { description }
}

extension DiskCacheError {
  static func notAFolder(_ path: String) -> Self {
    Self(
      kind: .notAFolder, path: path,
      reason: "is not a folder; a symbolic link is not followed",
      remedy: "Remove it, or choose another path.")
  }

  static func wrongOwner(_ path: String, _ owner: uid_t) -> Self {
    Self(
      kind: .wrongOwner, path: path,
      reason: "belongs to user \(owner), but this process runs as \(geteuid())",
      remedy: "Choose a path of this user's own, or correct the owner with chown.")
  }

  static func transportWithoutRoad(_ path: String) -> Self {
    Self(
      kind: .transportWithoutRoad, path: path,
      reason: "keeps no response over a transport that another process cannot identify",
      remedy: "Return the other transport's identity from one that forwards requests unchanged, or"
        + " TransportIdentity(lasting:) from one whose road does not change.")
  }

  static func openToOthers(_ path: String, mode: mode_t) -> Self {
    Self(
      kind: .openToOthers, path: path,
      reason: "is open to others: its mode is \(String(mode, radix: 8)), but must be 700",
      remedy: "Choose a folder that is for the cache alone, and run chmod 700 on it.")
  }

  init(_ fault: PrivacyFault, _ path: String) {
    switch fault {
    case .otherType: self = .notAFolder(path)
    case .wrongOwner(let owner): self = .wrongOwner(path, owner)
    case .openToOthers(let mode): self = .openToOthers(path, mode: mode)
    case .system(let error): self.init(error, path)
    }
  }

  init(_ error: POSIXError, _ path: String) {
    switch error.code {
    case .ENOSPC, .EDQUOT, .EFBIG:
      self.init(
        kind: .noSpace, path: path, reason: "has no room for another response",
        remedy: "Free space on its disk, or lower the cache's maxBytes.")
    case let code:
      self.init(
        kind: .system(code), path: path,
        reason: "cannot be used: \(String(cString: strerror(code.rawValue)))",
        remedy: "Check the disk, and the permissions of the folder and of its parent folders.")
    }
  }
}
