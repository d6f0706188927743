/// The checksum of gzip (RFC 1952 §8), which is that of ISO 3309.
///
/// It uses a table.
struct CRC32: Sendable {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1
    }
  }

  private var remainder = UInt32.max

  /// The checksum of the bytes so far.
  var value: UInt32 { ~remainder }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let table = Self.table
    remainder = bytes.reduce(remainder) { remainder, byte in
      table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
    }
  }
}
