import Foundation

#if os(Linux)
  internal import CCurl
#else
  import Compression
#endif

/// A decoder of gzip (RFC 1952) for bodies of requests, which are whole in memory.
package enum Gunzip {
  /// The maximum size of a decoded body, in bytes.
  private static let maximumBytes = 64 << 20

  /// Returns the decoded bytes; nil if they are no gzip file of one member, or too many.
  package static func decoded(_ data: Data) -> Data? {
    #if os(Linux)
      guard czlib_load() != 0, let stream = czlib_open(CZLIB_GZIP) else { return nil }
      defer { czlib_close(stream) }
      return data.withUnsafeBytes { inflated($0, by: stream) }
    #else
      // The header of a file without a name, and the trailer, have a fixed size (§2.3).
      let bytes = [UInt8](data)
      guard bytes.count > 18, bytes.starts(with: [0x1F, 0x8B, 8, 0]) else { return nil }
      let deflated = Array(bytes.dropFirst(10).dropLast(8))
      let size = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      guard 0...maximumBytes ~= size else { return nil }
      // A byte more shows whether the trailer tells the size.
      var plain = [UInt8](repeating: 0, count: size + 1)
      let count = compression_decode_buffer(
        &plain, plain.count, deflated, deflated.count, nil, COMPRESSION_ZLIB)
      return count == size ? Data(plain.prefix(size)) : nil
    #endif
  }

  #if os(Linux)
    private static func inflated(
      _ bytes: UnsafeRawBufferPointer, by stream: OpaquePointer
    ) -> Data? {
      var left = Slice(base: bytes, bounds: bytes.indices)
      var plain = Data()
      var room = [UInt8](repeating: 0, count: 64 << 10)
      while plain.count <= maximumBytes {
        let input = UnsafeRawBufferPointer(rebasing: left).assumingMemoryBound(to: UInt8.self)
        var taken = input.count
        var made = room.count
        let status = czlib_inflate(stream, input.baseAddress, &taken, &room, &made)
        left = left.dropFirst(taken)
        plain += room[..<made]
        if status == CZLIB_END { return left.isEmpty ? plain : nil }
        guard status == CZLIB_MORE, taken > 0 || made > 0 else { return nil }
      }
      return nil
    }
  #endif
}
