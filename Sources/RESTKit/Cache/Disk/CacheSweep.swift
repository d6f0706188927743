import Foundation
import Streams

/// A sweep, which keeps a cache's folder within its limit by removing the files that were unused
/// for longest.
///
/// It runs on the store's queue, one at a time. It counts the folder, and so sees the files of
/// other processes, when this process begins to write and each time that its own count reaches the
/// limit.
final class CacheSweep: Sendable {
  private let folder: CacheFolder
  private let tombstones: CacheTombstones
  private let maxBytes: Int
  private let state = Lock(State())

  private struct State {
    /// The size of the folder in bytes; nil before it is counted.
    var size: Int64?
    /// Whether a sweep is due and has not begun.
    var isDue = false
  }

  /// The size of a block.
  ///
  /// A file occupies whole blocks of the disk, so that many small files fill it, too.
  private static let block: Int64 = 4_096
  /// The maximum time, in seconds, for writing one file.
  ///
  /// It counts only where there is no lock.
  private static let longestWrite = 3_600.0

  init(_ folder: CacheFolder, _ tombstones: CacheTombstones, maxBytes: Int) {
    self.folder = folder
    self.tombstones = tombstones
    self.maxBytes = maxBytes
  }

  /// Returns the space that a file of a size occupies, in bytes.
  static func cost(_ size: Int64) -> Int64 {
    let blocks = size / block + (size % block == 0 ? 0 : 1)
    return blocks.multipliedReportingOverflow(by: block).overflow ? .max : blocks * block
  }

  /// Records a change of size.
  ///
  /// - Returns: Whether a sweep becomes due, because the limit is exceeded or the size is unknown.
  func add(_ bytes: Int64) -> Bool {
    state.withLock { state in
      state.size = state.size.map { Self.sum($0, bytes) }
      // A removal is no reason to count the folder.
      guard bytes > 0, state.size ?? .max > Int64(maxBytes), !state.isDue else { return false }
      state.isDue = true
      return true
    }
  }

  /// Removes what killed processes left: folders, parts of files, and old tombstones.
  ///
  /// - Returns: The space of the parts that may still be written, in bytes.
  /// - Throws: `DiskCacheError` if the folder cannot be read, or a file cannot be removed.
  @discardableResult
  func removeLeftovers() throws(DiskCacheError) -> Int64 {
    folder.emptyRemoved()
    return try folder.exclusively { isLocked in
      Result { () throws(DiskCacheError) in
        try tombstones.removeOld()
        // With the lock, no process that lives is writing.
        let oldest = isLocked ? .infinity : Date().timeIntervalSince1970 - Self.longestWrite
        var left: Int64 = 0
        for name in try folder.names(in: CacheFolder.newFolder) {
          let path = "\(CacheFolder.newFolder)/\(name)"
          guard let status = try folder.status(of: path) else { continue }
          if status.modified < oldest {
            try folder.remove(path)
          } else {
            left = Self.sum(left, Self.cost(status.size))
          }
        }
        return left
      }
    }.get()
  }

  private struct File {
    let name: CacheFileName
    let cost: Int64
    let modified: Double
  }

  /// Counts the folder, and removes the oldest files if the limit is exceeded.
  ///
  /// - Throws: `DiskCacheError` if the folder cannot be counted, or a file cannot be removed.
  func sweep() throws(DiskCacheError) {
    state.withLock { $0.isDue = false }
    let most = Int64(maxBytes)
    // A tenth is free after a sweep, so that the next one is not needed soon.
    let goal = most - most / 10
    // What cannot be counted or removed is tried again later, not at each write.
    var total = Int64.max
    defer { state.withLock { [total] in $0.size = total > most ? goal : total } }
    let left = try removeLeftovers()
    var files = try files()
    total = files.reduce(left) { Self.sum($0, $1.cost) }
    guard total > most else { return }
    files.sort { $0.modified < $1.modified }
    for file in files {
      if total <= goal { break }
      try folder.remove(file.name.path)
      total -= file.cost
    }
  }

  /// Returns a sum without overflow: a sparse file can claim any length.
  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let sum = one.addingReportingOverflow(other)
    return sum.overflow ? .max : sum.partialValue
  }

  /// Returns all files of the cache.
  ///
  /// It also removes empty folders, such as those of former principals.
  private func files() throws(DiskCacheError) -> [File] {
    var files: [File] = []
    for partition in try folder.names(in: ".") {
      guard let digest = CacheFileName.digest(hex: partition) else { continue }
      for shard in try folder.names(in: partition) {
        let path = "\(partition)/\(shard)"
        for name in try folder.names(in: path) {
          guard let key = CacheFileName.digest(hex: name),
            let status = try folder.status(of: "\(path)/\(name)")
          else { continue }
          files.append(
            File(
              name: CacheFileName(partition: digest, key: key), cost: Self.cost(status.size),
              modified: status.modified))
        }
        folder.removeIfEmpty(path)
      }
      folder.removeIfEmpty(partition)
    }
    return files
  }
}
