import Foundation

/// The file of a key in a cache's folder.
struct DiskCacheEntry {
  let name: CacheFileName
  private let key: CacheKey
  private let folder: CacheFolder
  private let limit: Int

  /// The divisor of the limit that gives the maximum size of a file.
  ///
  /// A larger file would replace too many files in use, and may never be requested again.
  private static let largestPart = 8
  /// The maximum number of responses under a key: each look-up reads them all.
  private static let mostVariants = 32

  /// - Parameter limit: The maximum size of all files in bytes.
  init(_ key: CacheKey, in folder: CacheFolder, of limit: Int) {
    name = CacheFileName(key)
    self.key = key
    self.folder = folder
    self.limit = limit
  }

  /// Returns the maximum size of a file in bytes.
  ///
  /// - Parameter limit: The maximum size of all files in bytes.
  static func maxBytes(in limit: Int) -> Int { limit / largestPart }

  /// Whether a file may have this size in bytes.
  static func isAllowed(_ size: Int, in limit: Int) -> Bool {
    CacheSweep.cost(Int64(size)) <= Int64(maxBytes(in: limit))
  }

  /// Returns the space that the file occupies, in bytes.
  func cost() throws(DiskCacheError) -> Int64 {
    try folder.status(of: name.path).map { CacheSweep.cost($0.size) } ?? 0
  }

  /// Returns the responses in the file, latest first.
  func responses() throws(DiskCacheError) -> [StoredResponse] {
    guard let file = try folder.read(name.path, limit: limit),
      case .responses(let responses) = CacheFile.content(file.bytes, for: key)
    else { return [] }
    return responses
  }

  /// Replaces the responses by as many of others, latest first, as a file may have.
  ///
  /// - Returns: The space that they occupy, in bytes.
  func replace(with responses: [StoredResponse]) throws(DiskCacheError) -> Int64 {
    let responses = fitting(responses)
    guard !responses.isEmpty else {
      try folder.remove(name.path)
      return 0
    }
    let bytes = CacheFile.bytes(responses, for: key)
    try folder.write(bytes, to: name)
    return CacheSweep.cost(Int64(bytes.count))
  }

  private func fitting(_ responses: [StoredResponse]) -> [StoredResponse] {
    var size = CacheFile.size(ofKey: key)
    var fitting: [StoredResponse] = []
    for response in responses.prefix(Self.mostVariants) {
      size += CacheFile.size(of: response)
      guard Self.isAllowed(size, in: limit) else { break }
      fitting.append(response)
    }
    return fitting
  }
}
