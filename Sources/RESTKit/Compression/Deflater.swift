#if os(Linux)
  internal import CCurl
  import Foundation

  /// An encoder of raw deflate (RFC 1951).
  final class Deflater {
    private let stream: OpaquePointer
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Whether this machine can compress.
    static var isAvailable: Bool { czlib_load() != 0 }

    /// - Returns: nil if there is no zlib or no memory.
    init?() {
      guard let stream = czlib_open_deflate() else {
        room.deallocate()
        return nil
      }
      self.stream = stream
    }

    deinit {
      czlib_close_deflate(stream)
      room.deallocate()
    }

    /// Compresses bytes, and appends the result.
    ///
    /// - Parameter isLast: Whether the data ends with these bytes.
    /// - Throws: `DeflateError` if the library refuses to go on.
    func push(
      _ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: inout Data
    ) throws(DeflateError) {
      var left = Slice(base: bytes, bounds: bytes.indices)
      while true {
        let input = UnsafeRawBufferPointer(rebasing: left).assumingMemoryBound(to: UInt8.self)
        var taken = input.count
        var made = room.count
        let status = czlib_deflate(
          stream, input.baseAddress, &taken,
          room.baseAddress?.assumingMemoryBound(to: UInt8.self), &made, isLast ? 1 : 0)
        left = left.dropFirst(taken)
        output.append(contentsOf: room[..<made])
        let isStuck = !left.isEmpty && taken == 0 && made == 0
        guard status != CZLIB_BROKEN, !isStuck else { throw DeflateError() }
        // Free room in the output shows that zlib has used all input.
        guard status == CZLIB_MORE, !left.isEmpty || made == room.count else { return }
      }
    }
  }
#endif
