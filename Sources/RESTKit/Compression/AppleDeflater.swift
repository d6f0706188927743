#if canImport(Compression)
  import Compression
  import Foundation

  /// Makes bare deflate (RFC 1951) of bytes as they come.
  final class Deflater {
    private let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
    private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: roomSize)
    private static let roomSize = 64 << 10

    /// Whether there is what compresses on this machine.
    static var isAvailable: Bool { true }

    /// - Returns: nil where there is no memory.
    init?() {
      let status = compression_stream_init(stream, COMPRESSION_STREAM_ENCODE, COMPRESSION_ZLIB)
      guard status == COMPRESSION_STATUS_OK else {
        stream.deallocate()
        room.deallocate()
        return nil
      }
    }

    deinit {
      compression_stream_destroy(stream)
      stream.deallocate()
      room.deallocate()
    }

    /// Takes bytes in, and appends what they become.
    ///
    /// - Parameter isLast: Whether the data end behind them.
    func push(_ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: inout Data) {
      let flags = isLast ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0
      // It wants a pointer for no bytes, too.
      stream.pointee.src_ptr = UnsafePointer(room)
      if let start = bytes.bindMemory(to: UInt8.self).baseAddress { stream.pointee.src_ptr = start }
      stream.pointee.src_size = bytes.count
      while true {
        stream.pointee.dst_ptr = room
        stream.pointee.dst_size = Self.roomSize
        let status = compression_stream_process(stream, flags)
        let made = Self.roomSize - stream.pointee.dst_size
        output.append(room, count: made)
        guard status == COMPRESSION_STATUS_OK,
          stream.pointee.src_size > 0 || made == Self.roomSize || isLast
        else { return }
      }
    }
  }
#endif
