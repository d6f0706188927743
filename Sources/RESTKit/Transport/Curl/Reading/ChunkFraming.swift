#if os(Linux)
  /// Looks at the framing of a chunked body as it comes in (RFC 9112 §7.1).
  ///
  /// libcurl undoes it, but reads past whatever stands behind a chunk's size, so that it and a stricter
  /// reader before it can see two different messages. The trailers are lines of a head, and not looked
  /// at here.
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
    /// Of the chunk that is read: first its size, then what is left of it.
    private var left: UInt64 = 0
    private var extensionBytes = 0

    /// Extensions are for nobody here; more of them than this are no message.
    private static let maxExtensionBytes = 16 << 10

    /// Takes the next bytes; false once they are no chunks.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
      var place = 0
      while place < bytes.count {
        switch state {
        case .trailers:
          return true
        case .data:
          let count = Int(min(left, UInt64(bytes.count - place)))
          place += count
          left -= UInt64(count)
          if left == 0 { state = .dataReturn }
        default:
          guard let next = step(bytes[place]) else { return false }
          state = next
          place += 1
        }
      }
      return true
    }

    /// The state behind a byte of the framing; nil where it may not stand there.
    private mutating func step(_ byte: UInt8) -> State? {
      switch state {
      case .size(let digits):
        if let value = byte.hexDigitValue {
          // As many as 64 bits have; leading zeros are none of them.
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
