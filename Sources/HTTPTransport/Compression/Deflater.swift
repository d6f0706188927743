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

#if canImport(Compression)
  import Compression
  import Foundation

  /// An encoder of raw deflate (RFC 1951).
  final class Deflater {
    private let stream = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
    private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: roomSize)
    private static let roomSize = 64 << 10

    /// Whether this machine can compress.
    static var isAvailable: Bool { true }

    /// - Returns: nil if there is no memory.
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

    /// Compresses bytes, and appends the result.
    ///
    /// - Parameter isLast: Whether the data ends with these bytes.
    /// - Throws: `DeflateError` if the library refuses to go on.
    func push(
      _ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: inout Data
    ) throws(DeflateError) {
      let flags = isLast ? Int32(COMPRESSION_STREAM_FINALIZE.rawValue) : 0
      // The function needs a pointer even for no bytes.
      stream.pointee.src_ptr = UnsafePointer(room)
      if let start = bytes.bindMemory(to: UInt8.self).baseAddress { stream.pointee.src_ptr = start }
      stream.pointee.src_size = bytes.count
      while true {
        stream.pointee.dst_ptr = room
        stream.pointee.dst_size = Self.roomSize
        let waiting = stream.pointee.src_size
        let status = compression_stream_process(stream, flags)
        let made = Self.roomSize - stream.pointee.dst_size
        output.append(room, count: made)
        let left = stream.pointee.src_size
        let isStuck =
          status == COMPRESSION_STATUS_OK && made == 0 && left == waiting && (left > 0 || isLast)
        let isShort = status == COMPRESSION_STATUS_END && left > 0
        guard status != COMPRESSION_STATUS_ERROR, !isStuck, !isShort else { throw DeflateError() }
        guard status == COMPRESSION_STATUS_OK,
          left > 0 || made == Self.roomSize || isLast
        else { return }
      }
    }
  }
#endif

/// The error of a system's compressor that refuses to go on.
///
/// Its output so far is no whole file, so it must not be sent as one.
struct DeflateError: Error {
  /// The error in words, for a `TransportError`.
  var text: String { "the system's compressor failed; send the body without requestCompression" }
}
