#if os(Linux)
  internal import CCurl

  /// What is known of the watch over the line behind a status line.
  enum FoldedLineWatch {
    case untried
    /// A status line came, and the next line was not shown yet.
    case isOn
    case works
    /// A line was kept that was not shown before.
    case fails
  }

  /// From 7.83 to 8.0 libcurl keeps the last header of a response, freed, into the next response of
  /// the same handle, where a folded line that comes first is appended to it (curl issue 11101).
  ///
  /// So that a handle can serve another call, such a line is refused before libcurl keeps it: the
  /// status line has its debug function called with the next line, and that function pauses the
  /// response, which leaves the line where it is, and has the transfer end. Where libcurl is found
  /// to keep lines that it did not show, a handle serves one call.
  extension CurlTransfer {
    /// Called with each line that libcurl has kept, and with those that it does not keep: a status line
    /// and the blank one behind a head.
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

    /// Called with the line behind a status line, before it is kept.
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
