#if os(Linux)
  import HTTPWire
  internal import CCurl

  /// The recorded times of one call, from which its phases are calculated.
  struct CurlTimes {
    // MARK: By our clock, since the call began

    /// The time at which libcurl received the call.
    ///
    /// Before that, the call waited for a connection.
    var start = Duration.zero
    /// See `CurlTimestamps`.
    var lookup: Duration?
    var handshake: Duration?
    var request: Duration?
    var bodyEnd: Duration?
    var response: Duration?

    // MARK: What libcurl says

    /// Whether the call made no new connection.
    var isConnectionReused = false
    /// Whether a proxy opened a tunnel.
    var hasTunnel = false
    /// Whether the request has a body.
    var hasBody = false
    /// libcurl's times since its last search for a connection: 7.88 starts again with each search,
    /// while other releases count the wait between them as part of the lookup.
    var nameLookup = Duration.zero
    var connect = Duration.zero
    var secureConnect = Duration.zero
    var preTransfer = Duration.zero
    /// The first byte of the response, for a request without a body.
    ///
    /// For a request with a body, 7.88 records the time at which it begins to send the body.
    var startTransfer = Duration.zero
    /// The total time since libcurl received the call.
    var total = Duration.zero

    init() {}

    /// Makes the times of a call that began at an instant.
    init(_ timestamps: CurlTimestamps, since begin: ContinuousClock.Instant) {
      start = timestamps.start.map { $0 - begin } ?? .zero
      lookup = timestamps.lookup.map { $0 - begin }
      handshake = timestamps.handshake.map { $0 - begin }
      request = timestamps.request.map { $0 - begin }
      bodyEnd = timestamps.bodyEnd.map { $0 - begin }
      response = timestamps.response.map { $0 - begin }
    }

    /// The phases, for any combination of times.
    ///
    /// None is negative, and all of them add up to the total.
    var metrics: ExchangeMetrics {
      let end = start + max(total, .zero)
      // The point from which libcurl's times count. Its earlier attempts failed, so they count as
      // waiting.
      let origin = max(request.map { $0 - preTransfer } ?? start, start)
      let ready = origin + preTransfer
      // On a kept connection, the times that libcurl records before it sends count as waiting.
      var (begun, named, connected) = (ready, ready, ready)
      if !isConnectionReused {
        named = origin + nameLookup
        begun = lookup ?? named
        if secureConnect > .zero {
          connected = origin + connect
          // libcurl's time is that of the connection to the proxy.
          if hasTunnel, let handshake { connected = max(connected, handshake) }
        }
      }
      let answered = response ?? (origin + startTransfer)
      let sent = hasBody ? bodyEnd ?? answered : ready

      var place = Duration.zero
      func length(until mark: Duration) -> Duration {
        let begin = place
        place = min(max(mark, begin), end)
        return place - begin
      }
      return ExchangeMetrics(
        queued: length(until: begun), nameLookup: length(until: named),
        connect: length(until: connected), secureConnect: length(until: ready),
        sending: length(until: sent), waiting: length(until: answered),
        receiving: length(until: end), total: end, isConnectionReused: isConnectionReused)
    }
  }

  /// The times of events in one call that libcurl does not record, or that not every release
  /// records as needed.
  struct CurlTimestamps {
    typealias Instant = ContinuousClock.Instant

    /// The time at which libcurl last received the call.
    let start: Instant?
    /// The beginning of the name lookup, or nil if libcurl knew the address.
    private(set) var lookup: Instant?
    /// The beginning of the last handshake: the server's, after that of a proxy.
    private(set) var handshake: Instant?
    /// The time at which the request was last about to be sent, or nil if it was not recorded.
    private(set) var request: Instant?
    /// The time at which libcurl had the last byte of the request's body.
    private(set) var bodyEnd: Instant?
    /// The beginning of the response, without interim responses.
    private(set) var response: Instant?

    init(start: Instant? = nil) { self.start = start }

    /// Notes a name lookup.
    ///
    /// Only the first one counts, since two kinds of address are looked up one after the other.
    mutating func noteLookup(_ now: Instant = .now) { lookup = lookup ?? now }

    /// Notes that a handshake begins.
    mutating func noteHandshake(_ now: Instant = .now) { handshake = now }

    /// Notes that the request is sent, for the first time or again.
    mutating func noteRequest(_ now: Instant = .now) {
      if let before = request {
        // Events before a request without a response are not part of this request's wait.
        if let lookup, lookup < before { self.lookup = nil }
        if let handshake, handshake < before { self.handshake = nil }
      }
      request = now
      bodyEnd = nil
      response = nil
    }

    /// Notes that libcurl has the whole body.
    mutating func noteBodyEnd(_ now: Instant = .now) { bodyEnd = now }

    /// Notes a status line.
    mutating func noteResponse(_ now: Instant = .now) { response = now }
  }

  extension CurlTransfer {
    /// The phases of the call.
    ///
    /// Read it when libcurl has finished the call.
    var timings: ExchangeMetrics {
      var times = CurlTimes()
      if let begin = job?.begin { times = CurlTimes(timestamps, since: begin) }
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

    /// Whether a handshake has begun and not ended.
    ///
    /// libcurl tells the time of the connect only after the handshake.
    var isHandshakeUnanswered: Bool {
      job?.isSecure == true && timestamps.handshake != nil && timestamps.request == nil
        && ccurl_get_offset(easy, CCURLINFO_APPCONNECT_TIME_T) == 0
    }

    private func time(_ info: ccurl_info) -> Duration {
      .microseconds(ccurl_get_offset(easy, info))
    }

    /// The address and port of the other end of the connection, or the unix socket's path; nil if
    /// there was no connection.
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
