#if os(Linux)
  internal import CCurl

  extension CurlTransfer {
    /// The phases of the call.
    ///
    /// Read it when libcurl has finished the call.
    var timings: ExchangeMetrics {
      var times = CurlTimes()
      if let begin = job?.begin { times = CurlTimes(moments, since: begin) }
      times.isConnectionReused = ccurl_get_long(easy, CCURLINFO_NUM_CONNECTS) == 0
      times.hasBody = reader.map { $0.length != 0 } ?? false
      if !times.isConnectionReused {
        times.nameLookup = time(CCURLINFO_NAMELOOKUP_TIME_T)
        times.connect = time(CCURLINFO_CONNECT_TIME_T)
        times.secureConnect = time(CCURLINFO_APPCONNECT_TIME_T)
        times.hasTunnel = ccurl_get_long(easy, CCURLINFO_HTTP_CONNECTCODE) != 0
      }
      times.preTransfer = time(CCURLINFO_PRETRANSFER_TIME_T)
      if times.response == nil { times.startTransfer = time(CCURLINFO_STARTTRANSFER_TIME_T) }
      times.total = time(CCURLINFO_TOTAL_TIME_T)
      var metrics = times.metrics
      metrics.remoteAddress = remoteAddress
      return metrics
    }

    private func time(_ info: ccurl_info) -> Duration {
      .microseconds(ccurl_get_offset(easy, info))
    }

    /// The address and port of the other end of the connection, or the unix socket's path; nil if there was
    /// no connection.
    var remoteAddress: String? {
      if let path = configuration.addresses.socketPath { return "unix:\(path)" }
      if let place = route.place, let address = place.remoteAddress, !address.isEmpty {
        return Self.text(address, port: Int(place.remotePort))
      }
      let text = ccurl_get_pointer(easy, CCURLINFO_PRIMARY_IP)
        .map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      guard let text, !text.isEmpty else { return nil }
      return Self.text(text, port: ccurl_get_long(easy, CCURLINFO_PRIMARY_PORT))
    }

    private static func text(_ address: String, port: Int) -> String {
      // The comparison of bytes is faster than Foundation's search for a text.
      address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
  }
#endif
