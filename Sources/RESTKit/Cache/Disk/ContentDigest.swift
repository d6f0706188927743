/// A digest that changes with any byte of a file.
///
/// It detects damage, not attacks: a process that can write to the folder can make a file with the
/// right digest. The reader's checks assume such a file.
enum ContentDigest {
  /// Returns the digest of the bytes from a position on, and of their number.
  ///
  /// Each step is invertible for any following bytes. So a change within one word is always detected,
  /// and another change is missed once in 2^64.
  static func of(_ bytes: [UInt8], from start: Int) -> UInt64 {
    bytes.withUnsafeBytes { buffer in
      var hash = mixed(0x9e37_79b9_7f4a_7c15, UInt64(max(0, buffer.count - start)))
      var place = start
      while place + 8 <= buffer.count {
        let word = buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        hash = mixed(hash, UInt64(littleEndian: word))
        place += 8
      }
      var rest: UInt64 = 0
      while place < buffer.count {
        rest = rest << 8 | UInt64(buffer[place])
        place += 1
      }
      hash = mixed(hash, rest)
      return hash ^ (hash >> 32)
    }
  }

  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word) &* 0x9fb2_1c65_1e98_df25
    return product << 29 | product >> 35
  }
}
