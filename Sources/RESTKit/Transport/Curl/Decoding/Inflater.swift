#if os(Linux)
  internal import CCurl

  /// A decoder for one content coding: gzip (RFC 1952) or deflate (RFC 1950, and also bare RFC 1951, which
  /// some servers send under that name).
  final class Inflater {
    enum Coding: Sendable, Equatable {
      case gzip, deflate
    }

    /// A receiver of the number of consumed bytes and the decoded bytes, if there are any.
    ///
    /// It throws to end the work.
    typealias Sink = (Int, UnsafeRawBufferPointer) throws(TransportError) -> Void

    private static let roomSize = 64 * 1_024

    private let coding: Coding
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: roomSize, alignment: 16)
    private var stream: OpaquePointer?
    /// Whether the compressed data are complete.
    private(set) var isAtEnd = false

    init(_ coding: Coding) {
      self.coding = coding
    }

    deinit {
      czlib_close(stream)
      room.deallocate()
    }

    /// Takes the next bytes and passes on the decoded ones in pieces.
    ///
    /// It also reports bytes without any output, so that the receiver can end the work.
    ///
    /// - Throws: The error of the sink; `.undecodableBody` for data in another format.
    func push(_ bytes: UnsafeRawBufferPointer, _ sink: Sink) throws(TransportError) {
      var left = Slice(base: bytes, bounds: bytes.indices)
      while !left.isEmpty {
        if isAtEnd { try beginNextMember(left) }
        let stream = try openStream(for: left)
        try inflate(&left, stream, sink)
      }
    }

    private func inflate(
      _ left: inout Slice<UnsafeRawBufferPointer>, _ stream: OpaquePointer, _ sink: Sink
    ) throws(TransportError) {
      // After the last input byte, zlib may hold more output than fits the buffer.
      while true {
        let input = UnsafeRawBufferPointer(rebasing: left).assumingMemoryBound(to: UInt8.self)
        var taken = input.count
        var made = room.count
        let status = czlib_inflate(
          stream, input.baseAddress, &taken,
          room.baseAddress?.assumingMemoryBound(to: UInt8.self), &made)
        left = left.dropFirst(taken)
        try sink(taken, UnsafeRawBufferPointer(rebasing: room[..<made]))
        switch status {
        case CZLIB_END:
          isAtEnd = true
          return
        case CZLIB_MORE:
          if made == room.count { continue }
          if left.isEmpty { return }
          guard taken > 0 || made > 0 else { throw Self.broken }
        default:
          throw Self.broken
        }
      }
    }

    private func openStream(for bytes: Slice<UnsafeRawBufferPointer>) throws(TransportError)
      -> OpaquePointer
    {
      if let stream { return stream }
      let format: czlib_format =
        switch coding {
        case .gzip: CZLIB_GZIP
        // If there is a header, the low half of its first byte is deflate's method.
        case .deflate: bytes[bytes.startIndex] & 0x0F == 8 ? CZLIB_ZLIB : CZLIB_RAW
        }
      guard let stream = czlib_open(format) else {
        throw .afterSending(.undecodableBody, "there is no memory to decode it")
      }
      self.stream = stream
      return stream
    }

    /// Begins the next member.
    ///
    /// A gzip file may have several members (RFC 1952 §2.2); no other bytes may follow the end.
    private func beginNextMember(_ bytes: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      guard coding == .gzip, bytes.first == 0x1F, let stream, czlib_reset(stream) != 0 else {
        throw Self.broken
      }
      isAtEnd = false
    }

    private static var broken: TransportError {
      .afterSending(.undecodableBody, "its bytes do not match its Content-Encoding")
    }
  }
#endif
