#if os(Linux)
  import HTTPWire
  internal import CCurl

  /// A watch that ends a tunnel if a proxy's refusal never ends.
  ///
  /// libcurl 7.88 reads a proxy's response to CONNECT byte by byte as long as there is more, and
  /// returns to its caller only afterwards. It reports progress meanwhile.
  struct TunnelWatch {
    /// The reason for ending the tunnel, if it was ended.
    private(set) var fault: TransportError?
    private var isOn = false
    private var looks = 0

    /// Begins the watch, for a call that may use a tunnel.
    mutating func begin() { isOn = true }

    /// Ends the watch with the tunnel, and returns whether it had begun.
    mutating func end() -> Bool {
      defer { isOn = false }
      return isOn
    }

    /// No proxy needs more bytes, and libcurl reads this many in at most a fifth of a second.
    private static let maxBytes = 64 << 10

    /// Returns whether to end the tunnel.
    ///
    /// It is called for each byte.
    mutating func isToEnd(limit: Int, _ patience: CallPatience?) -> Bool {
      guard isOn else { return false }
      looks += 1
      let limit = min(limit, Self.maxBytes)
      guard looks <= limit else {
        fault = .beforeSending(.connectFailed, "the proxy answered with more than \(limit) bytes")
        return true
      }
      // Checking the clock and the call costs more than reading a byte.
      guard looks % 256 == 0, let patience else { return false }
      do throws(TransportError) {
        try patience.check()
        return false
      } catch {
        fault = .beforeSending(error.kind, "the proxy's response did not end")
        return true
      }
    }
  }

  extension CurlTransfer {
    /// Returns whether libcurl must end the transfer.
    ///
    /// It is called as long as libcurl can end the transfer.
    func isToEnd() -> Bool {
      let isOver =
        response.fault != nil
        || tunnel.isToEnd(limit: configuration.limits.headerBytes, patience)
      if isOver { abandon() }
      return isOver
    }
  }

  /// The state of the check of the line after a status line.
  enum FoldedLineWatch {
    case untried
    /// A status line arrived, and the next line was not shown yet.
    case isOn
    case works
    /// libcurl kept a line without showing it first.
    case fails
  }

  /// From 7.83 to 8.0, libcurl keeps the last header of a response, although freed, for the next
  /// response of the same handle. A folded line that comes first there is appended to it (curl
  /// issue 11101).
  ///
  /// Such a line is refused before libcurl keeps it, so that the handle can serve another call.
  /// After the status line, libcurl calls its debug function with the next line. That function
  /// pauses the response, so that libcurl does not keep the line, and ends the transfer. If libcurl
  /// is found to keep lines without showing them, a handle serves only one call.
  extension CurlTransfer {
    /// Runs with each line that libcurl has kept, and with those that it does not keep: a status
    /// line and the blank line after a head.
    func beginWatch(behind line: UnsafeRawBufferPointer) {
      if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
        guard watch != .fails else { return }
        watch = .isOn
        _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 1)
      } else if watch == .isOn, line.first != 0x0D, line.first != 0x0A {
        watch = .fails
        _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 0)
      }
    }

    /// Runs with the line after a status line, before libcurl keeps it.
    func watch(_ line: UnsafeRawBufferPointer) {
      guard watch == .isOn else { return }
      watch = .works
      _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 0)
      guard let first = line.first, first == 0x20 || first == 0x09 else { return }
      response.refuse(ResponseFraming.malformed("its first header line is folded"))
      _ = library.api.pointee.easy_pause(easy, Int32(CCURLPAUSE_RECV))
      _ = ccurl_set_long(easy, CCURLOPT_NOPROGRESS, 0)
    }
  }

  /// libcurl passes the bytes of a chunked body to its debug function before it removes their
  /// framing.
  extension CurlTransfer {
    /// Runs with each line of a head, after it was taken.
    func beginChunkWatch(behind line: UnsafeRawBufferPointer) {
      // Only the line that ends a head is looked at further.
      guard let first = line.first, first == 0x0D || first == 0x0A, library.showsChunks,
        chunks == nil, response.isChunked
      else { return }
      chunks = ChunkFraming()
      _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 1)
    }

    /// Runs with the received bytes of the body.
    func watch(body bytes: UnsafeRawBufferPointer) {
      guard response.fault == nil, chunks?.take(bytes) == false else { return }
      refuseMalformedChunks()
    }

    /// Refuses the response behind the last byte of its valid chunks.
    ///
    /// libcurl shows all bytes that it has received before it passes on their data.
    func refuseMalformedChunks() {
      guard let chunks, chunks.isMalformed, response.takenBytes >= chunks.dataBytes else { return }
      response.refuse(ResponseFraming.malformed("its chunks are malformed"))
    }

    /// The bytes of a body that are part of valid chunks.
    func validPart(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      guard let chunks, chunks.isMalformed else { return bytes }
      let count = max(chunks.dataBytes - response.takenBytes, 0)
      return UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: count)))
    }

    func endChunkWatch() {
      guard chunks != nil else { return }
      chunks = nil
      _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 0)
    }
  }

  /// A record of whether an HTTP/2 server reported a request as not processed: it refused the
  /// stream, or named an earlier last stream when it closed the connection (RFC 9113 §6.8, §8.7).
  ///
  /// libcurl reports this only in messages.
  struct StreamRefusal {
    /// Whether the server reported that.
    private(set) var isKnown = false
    private var stream: Int?

    mutating func note(_ words: String) {
      if words.hasPrefix("REFUSED_STREAM") {
        isKnown = true
      } else if let number = Self.number(behind: "Using Stream ID: ", in: words) {
        stream = number
      } else if words.contains("GOAWAY"), let stream,
        let last = Self.number(behind: "last_stream=", in: words)
      {
        isKnown = stream > last
      }
    }

    private static func number(behind label: String, in words: String) -> Int? {
      guard let range = words.firstRange(of: label) else { return nil }
      return Int(words[range.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }
  }
#endif
