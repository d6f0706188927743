import Foundation
import Streams

/// Keeps a cache's folder within its limit: the files that were not used for the longest time go.
///
/// It runs on the store's queue, one at a time. What other processes write is seen when the folder is
/// counted, which is when this process begins to write, and each time that it comes to the limit by its own
/// count.
final class CacheSweep: Sendable {
  private let folder: CacheFolder
  private let maxBytes: Int
  /// How much is in the folder; nil before it is counted.
  private let size = Lock<Int?>(nil)

  /// A file takes whole blocks of the disk, and counts as such: many small ones fill it, too.
  private static let block = 4_096
  /// How much is left of the limit when it was passed: so the next sweep is some way off.
  private static let rest = 0.9
  /// How long nobody writes one file, in seconds.
  private static let longestWrite = 3_600.0

  init(_ folder: CacheFolder, maxBytes: Int) {
    self.folder = folder
    self.maxBytes = maxBytes
  }

  /// What a file of so many bytes takes of the limit.
  static func cost(_ size: Int) -> Int {
    let blocks = size / block + (size % block == 0 ? 0 : 1)
    return blocks.multipliedReportingOverflow(by: block).overflow ? .max : blocks * block
  }

  /// Takes note of a change, and sweeps where the limit is passed.
  ///
  /// - Throws: `DiskCacheError` where a file cannot be removed.
  func add(_ bytes: Int) throws(DiskCacheError) {
    let known: Int? = size.withLock { size in
      size = size.map { $0 + bytes }
      return size
    }
    // What takes away is no reason to look how much there is.
    if bytes > 0, known ?? .max > maxBytes { try sweep() }
  }

  /// Removes what processes left that were killed.
  func removeLeftovers() {
    folder.emptyRemoved()
    let oldest = Date().timeIntervalSince1970 - Self.longestWrite
    for name in folder.names(in: CacheFolder.newFolder) {
      let path = "\(CacheFolder.newFolder)/\(name)"
      if let status = folder.status(of: path), status.modified < oldest { try? folder.remove(path) }
    }
  }

  private struct File {
    let name: CacheFileName
    let cost: Int
    let modified: Double
  }

  private func sweep() throws(DiskCacheError) {
    removeLeftovers()
    var files = files()
    var total = files.reduce(0) { Self.sum($0, $1.cost) }
    let goal = Int(Double(maxBytes) * Self.rest)
    // What cannot be removed is tried again some way off, and not at each write.
    defer { size.withLock { [total] in $0 = total > maxBytes ? goal : total } }
    guard total > maxBytes else { return }
    files.sort { $0.modified < $1.modified }
    for file in files {
      if total <= goal { break }
      try folder.remove(file.name.path)
      total -= file.cost
    }
  }

  /// A file with a hole can say that it is as long as any number.
  private static func sum(_ one: Int, _ other: Int) -> Int {
    let sum = one.addingReportingOverflow(other)
    return sum.overflow ? .max : sum.partialValue
  }

  /// All files of the cache.
  ///
  /// Folders that are empty go, such as those of askers who come no more.
  private func files() -> [File] {
    var files: [File] = []
    for partition in folder.names(in: ".") {
      guard let digest = CacheFileName.digest(hex: partition) else { continue }
      for shard in folder.names(in: partition) {
        let path = "\(partition)/\(shard)"
        for name in folder.names(in: path) {
          guard let key = CacheFileName.digest(hex: name),
            let status = folder.status(of: "\(path)/\(name)")
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
