#if os(Linux)
  /// Ends a tunnel that a proxy never finishes to refuse.
  ///
  /// libcurl 7.88 reads what a proxy says to CONNECT byte by byte for as long as there is more, and
  /// comes back to its caller only then; it reports progress meanwhile.
  struct TunnelWatch {
    /// Why the tunnel was given up, if it was.
    private(set) var fault: TransportError?
    private var isOn = false
    private var looks = 0

    /// Begins, for a call that may go through a tunnel.
    mutating func begin() { isOn = true }

    /// Ends with the tunnel; whether it had begun.
    mutating func end() -> Bool {
      defer { isOn = false }
      return isOn
    }

    /// No proxy has more to say, and to read so much takes libcurl a fifth of a second at most.
    private static let maxBytes = 64 << 10

    /// Whether the tunnel is to be given up; asked at each byte.
    mutating func isToEnd(limit: Int, _ patience: CallPatience?) -> Bool {
      guard isOn else { return false }
      looks += 1
      let limit = min(limit, Self.maxBytes)
      guard looks <= limit else {
        fault = .beforeSending(.connectFailed, "the proxy answered with more than \(limit) bytes")
        return true
      }
      // A look at the clock and at the call costs more than a byte does.
      guard looks % 256 == 0, let patience else { return false }
      do throws(TransportError) {
        try patience.check()
        return false
      } catch {
        fault = .beforeSending(error.kind, "the proxy's answer had no end")
        return true
      }
    }
  }

  extension CurlTransfer {
    /// Asked by libcurl whether the transfer is to end, while that can be.
    func isToEnd() -> Bool {
      response.fault != nil
        || tunnel.isToEnd(limit: configuration.limits.headerBytes, patience)
    }
  }
#endif
