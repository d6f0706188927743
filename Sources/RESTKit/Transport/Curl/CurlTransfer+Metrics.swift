#if os(Linux)
  internal import CCurl

  extension CurlTransfer {
    /// The address and port at the other end of the connection, or the unix socket's path; nil where
    /// there was none.
    var remoteAddress: String? {
      if let path = configuration.addresses.socketPath { return "unix:\(path)" }
      let text = ccurl_get_pointer(easy, CCURLINFO_PRIMARY_IP)
        .map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      guard let text, !text.isEmpty else { return nil }
      let port = ccurl_get_long(easy, CCURLINFO_PRIMARY_PORT)
      // By bytes: Foundation would look for a text.
      return text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]:\(port)" : "\(text):\(port)"
    }
  }
#endif
