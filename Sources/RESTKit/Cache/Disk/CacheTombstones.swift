import Foundation
import Streams

/// The times of removals, for the writers of all processes that use a cache's folder.
///
/// A response may be under way in one process while another one removes the responses of its URL.
/// So a removal leaves a tombstone, a file with the removal's time, and no process writes a
/// response that was requested before. Tombstones are read and made under the folder's lock.
final class CacheTombstones: Sendable {
  private let folder: CacheFolder
  private let date: @Sendable () -> Date
  /// The number of tombstones that this process has made since it looked for old ones.
  private let made = Lock(0)

  /// The name of the tombstone for everything.
  private static let ofAll = "all"
  /// The maximum time in seconds for which an exchange may be under way.
  private static let longestExchange = 3_600.0
  /// The maximum number of tombstones.
  ///
  /// One for everything replaces them.
  private static let most = 4_096
  /// A time from further in the future is of a wrong clock, in seconds.
  private static let tolerance = 60.0

  init(_ folder: CacheFolder, date: @escaping @Sendable () -> Date) {
    self.folder = folder
    self.date = date
  }

  /// The latest time that is not of a wrong clock.
  var latest: Date { date() + Self.tolerance }

  /// Records the removal of the responses under a key.
  func add(_ name: CacheFileName, at time: Date) throws(DiskCacheError) {
    try add(Self.tombstone(name), at: time)
    try removeOldIfDue()
  }

  private func removeOldIfDue() throws(DiskCacheError) {
    let isLookDue = made.withLock { made in
      made += 1
      if made >= Self.most / 4 { made = 0 }
      return made == 0
    }
    if isLookDue { try removeOld() }
  }

  /// Records the removal of a target's responses in all partitions.
  func add(ofTarget target: String, at time: Date) throws(DiskCacheError) {
    try add(Self.tombstone(ofTarget: CacheFileName.digest(target)), at: time)
    try removeOldIfDue()
  }

  /// Records the removal of all responses of a partition, by the name of its folder.
  func add(ofPartition folder: String, at time: Date) throws(DiskCacheError) {
    try add(folder, at: time)
  }

  /// Records the removal of everything.
  func addOfAll(at time: Date) throws(DiskCacheError) { try add(Self.ofAll, at: time) }

  /// Returns the time before which a response under a key must have been requested to be outdated.
  func last(of name: CacheFileName) throws(DiskCacheError) -> Date {
    let latest = latest.timeIntervalSince1970
    var last = Date.distantPast
    let tombstones = [
      Self.tombstone(name), Self.tombstone(ofTarget: name.key), name.folder, Self.ofAll,
    ]
    for tombstone in tombstones {
      guard let time = try folder.markedTime(Self.path(tombstone)), time <= latest else { continue }
      last = max(last, Date(timeIntervalSince1970: time))
    }
    return last
  }

  /// Removes the tombstones that no exchange under way is older than, and all if there are too
  /// many.
  func removeOld() throws(DiskCacheError) {
    let now = date().timeIntervalSince1970
    var left: [String] = []
    for name in try folder.names(in: CacheFolder.tombstoneFolder) {
      let time = try folder.status(of: Self.path(name))?.modified
      if let time, abs(now - time) <= Self.longestExchange {
        left.append(name)
      } else {
        try folder.remove(Self.path(name))
      }
    }
    guard left.count > Self.most else { return }
    try addOfAll(at: date())
    for name in left where name != Self.ofAll { try folder.remove(Self.path(name)) }
  }

  private func add(_ tombstone: String, at time: Date) throws(DiskCacheError) {
    let path = Self.path(tombstone)
    let seconds = time.timeIntervalSince1970
    // The writes of two removals may come in another order.
    if let last = try folder.markedTime(path), last >= seconds,
      last <= latest.timeIntervalSince1970
    {
      return
    }
    try folder.mark(path, seconds)
  }

  private static func tombstone(_ name: CacheFileName) -> String {
    "\(name.folder).\(CacheFileName.hex(name.key))"
  }

  private static func tombstone(ofTarget key: UInt128) -> String {
    "\(ofAll).\(CacheFileName.hex(key))"
  }

  private static func path(_ tombstone: String) -> String {
    "\(CacheFolder.tombstoneFolder)/\(tombstone)"
  }
}
