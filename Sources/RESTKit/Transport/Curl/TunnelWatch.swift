#if os(Linux)
  /// A watch that ends a tunnel if a proxy's refusal never ends.
  ///
  /// libcurl 7.88 reads a proxy's response to CONNECT byte by byte as long as there is more, and returns to
  /// its caller only afterwards. It reports progress meanwhile.
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
      response.fault != nil
        || tunnel.isToEnd(limit: configuration.limits.headerBytes, patience)
    }
  }
#endif
