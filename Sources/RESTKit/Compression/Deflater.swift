#if os(Linux)
  internal import CCurl
  import Foundation

  /// Makes bare deflate (RFC 1951) of bytes as they come.
  final class Deflater {
    private let stream: OpaquePointer
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Whether there is what compresses on this machine.
    static var isAvailable: Bool { czlib_load() != 0 }

    /// - Returns: nil where there is no zlib, or no memory.
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

    /// Takes bytes in, and appends what they become.
    ///
    /// - Parameter isLast: Whether the data end behind them.
    func push(_ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: inout Data) {
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
        // Room that is left says that zlib has no more of what came.
        guard status == CZLIB_MORE, !left.isEmpty || made == room.count else { return }
      }
    }
  }
#endif
