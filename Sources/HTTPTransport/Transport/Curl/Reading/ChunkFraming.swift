#if os(Linux)
  import HTTPWire

  /// A check of a chunked body's framing as it arrives (RFC 9112 §7.1).
  ///
  /// libcurl removes the framing, but ignores any bytes after a chunk's size. A stricter reader
  /// before it could therefore see another message. The trailers are lines of a head, and not
  /// checked here.
  struct ChunkFraming: Sendable, Equatable {
    private enum State: Equatable {
      case size(digits: Int)
      case blank
      case chunkExtension
      case sizeEnd
      case data
      case dataReturn
      case dataEnd
      case trailers
    }

    private var state = State.size(digits: 0)
    /// The size of the current chunk while it is read, then the remaining bytes of the chunk.
    private var left: UInt64 = 0
    private var extensionBytes = 0
    /// The number of bytes of data before the first invalid byte.
    private(set) var dataBytes: Int64 = 0
    private(set) var isMalformed = false

    /// The maximum size of extensions, which RESTKit ignores.
    ///
    /// More of them mean an invalid message.
    private static let maxExtensionBytes = 16 << 10

    /// Whether the last chunk has arrived, after which the body is complete (RFC 9112 §8).
    var isWhole: Bool { state == .trailers }

    /// Takes the next bytes.
    ///
    /// Returns false once they are not valid chunks.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard !isMalformed else { return false }
      var place = 0
      while place < bytes.count {
        switch state {
        case .trailers:
          return true
        case .data:
          let count = Int(min(left, UInt64(bytes.count - place)))
          place += count
          left -= UInt64(count)
          dataBytes += Int64(count)
          if left == 0 { state = .dataReturn }
        default:
          guard let next = step(bytes[place]) else {
            isMalformed = true
            return false
          }
          state = next
          place += 1
        }
      }
      return true
    }

    /// Returns the state after a byte of the framing, or nil if the byte is not allowed there.
    private mutating func step(_ byte: UInt8) -> State? {
      switch state {
      case .size(let digits):
        if let value = byte.hexDigitValue {
          // The size has at most 64 bits, without leading zeros.
          guard left >> 60 == 0, digits < Self.maxExtensionBytes else { return nil }
          left = left << 4 | UInt64(value)
          return .size(digits: digits + 1)
        }
        return digits > 0 ? behindSize(byte) : nil
      case .blank:
        return behindSize(byte)
      case .chunkExtension:
        extensionBytes += 1
        guard extensionBytes <= Self.maxExtensionBytes else { return nil }
        if byte == 0x0D { return .sizeEnd }
        return byte == 0x0A || byte == 0x00 ? nil : .chunkExtension
      case .sizeEnd:
        guard byte == 0x0A else { return nil }
        return left == 0 ? .trailers : .data
      case .dataReturn:
        return byte == 0x0D ? .dataEnd : nil
      case .dataEnd:
        return byte == 0x0A ? .size(digits: 0) : nil
      case .data, .trailers:
        return state
      }
    }

    private mutating func behindSize(_ byte: UInt8) -> State? {
      switch byte {
      case 0x0D:
        return .sizeEnd
      case 0x20, 0x09:
        extensionBytes += 1
        return extensionBytes <= Self.maxExtensionBytes ? .blank : nil
      case UInt8(ascii: ";"):
        return .chunkExtension
      default:
        return nil
      }
    }
  }
#endif
