#if os(Linux)
  internal import CCurl

  /// The state of the check of the line after a status line.
  enum FoldedLineWatch {
    case untried
    /// A status line arrived, and the next line was not shown yet.
    case isOn
    case works
    /// libcurl kept a line without showing it first.
    case fails
  }

  /// From 7.83 to 8.0, libcurl keeps the last header of a response, although freed, for the next response of
  /// the same handle. A folded line that comes first there is appended to it (curl issue 11101).
  ///
  /// Such a line is refused before libcurl keeps it, so that the handle can serve another call. After the
  /// status line, libcurl calls its debug function with the next line. That function pauses the response, so
  /// that libcurl does not keep the line, and ends the transfer. If libcurl is found to keep lines without
  /// showing them, a handle serves only one call.
  extension CurlTransfer {
    /// Runs with each line that libcurl has kept, and with those that it does not keep: a status line and the
    /// blank line after a head.
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
#endif
