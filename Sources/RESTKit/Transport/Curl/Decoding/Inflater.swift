#if os(Linux)
  internal import CCurl

  /// Undoes one content coding as the bytes come in: gzip (RFC 1952) or deflate (RFC 1950; bare RFC
  /// 1951 too, which some servers send under that name).
  final class Inflater {
    enum Coding: Sendable, Equatable {
      case gzip, deflate
    }

    /// Takes the count of bytes that were taken in and what became of them, if anything; throws to
    /// end the work.
    typealias Sink = (Int, UnsafeRawBufferPointer) throws(TransportError) -> Void

    private static let roomSize = 64 * 1_024

    private let coding: Coding
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: roomSize, alignment: 16)
    private var stream: OpaquePointer?
    /// Whether the data have come to their end.
    private(set) var isAtEnd = false

    init(_ coding: Coding) {
      self.coding = coding
    }

    deinit {
      czlib_close(stream)
      room.deallocate()
    }

    /// Takes the next bytes in and hands out what they become, in pieces; of bytes that become nothing
    /// it tells, too, so that who pays for the work can end it.
    ///
    /// - Throws: What the sink throws; `.undecodableBody` for data that are not in the format.
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
      // After the last input byte zlib may hold more than fits the room at once.
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
        // The low half of the first byte names deflate's method where there is a header.
        case .deflate: bytes[bytes.startIndex] & 0x0F == 8 ? CZLIB_ZLIB : CZLIB_RAW
        }
      guard let stream = czlib_open(format) else {
        throw .afterSending(.undecodableBody, "there is no memory to decode it")
      }
      self.stream = stream
      return stream
    }

    /// A gzip file may have several members, one behind the other (RFC 1952 §2.2); nothing else may
    /// stand behind the end.
    private func beginNextMember(_ bytes: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
      guard coding == .gzip, bytes.first == 0x1F, let stream, czlib_reset(stream) != 0 else {
        throw Self.broken
      }
      isAtEnd = false
    }

    private static var broken: TransportError {
      .afterSending(.undecodableBody, "its bytes are not what Content-Encoding says")
    }
  }
#endif
