/// The path of the responses under a key, relative to the cache's folder: `PARTITION/SHARD/KEY`.
///
/// Names are digests. Two keys with one name do no harm: a file has its key, and is a miss for another
/// key. The two only replace each other.
struct CacheFileName: Hashable, Sendable {
  let partition: UInt128
  let key: UInt128

  init(partition: UInt128, key: UInt128) {
    self.partition = partition
    self.key = key
  }

  init(_ key: CacheKey) {
    self.init(partition: Self.digest(key.partition.name), key: Self.digest(key.url))
  }

  /// Returns the folder of all responses of an asker.
  static func folder(_ partition: CachePartition) -> String { hex(digest(partition.name)) }

  var folder: String { Self.hex(partition) }
  /// One of 256 folders.
  ///
  /// They keep the number of names in each low enough for a fast file system.
  var shard: String { String(Self.hex(key).prefix(2)) }
  var path: String {
    let key = Self.hex(key)
    return "\(folder)/\(key.prefix(2))/\(key)"
  }

  /// Returns a digest by FNV-1a with 128 bits, whose halves are mixed at the end: the last bytes alone
  /// reach only some bits.
  static func digest(_ text: String) -> UInt128 {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in text.utf8 {
      hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
    hash ^= hash >> 64
    hash = hash &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835
    return hash ^ (hash >> 64)
  }

  /// Returns the 32 digits of a digest.
  static func hex(_ digest: UInt128) -> String {
    String(unsafeUninitializedCapacity: 32) { buffer in
      for place in 0..<32 {
        let digit = UInt8(truncatingIfNeeded: digest >> (124 - 4 * place)) & 15
        buffer[place] = digit + (digit < 10 ? 0x30 : 0x57)
      }
      return 32
    }
  }

  /// Returns the digest with exactly these digits; nil for a name that this store does not use.
  static func digest(hex: String) -> UInt128? {
    guard hex.utf8.count == 32, let digest = UInt128(hex, radix: 16), Self.hex(digest) == hex
    else { return nil }
    return digest
  }
}
