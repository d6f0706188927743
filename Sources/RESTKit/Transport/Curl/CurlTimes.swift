#if os(Linux)
  /// The recorded times of one call, from which its phases are calculated.
  struct CurlTimes {
    // MARK: By our clock, since the call began

    /// The time at which libcurl received the call.
    ///
    /// Before that, the call waited for a connection.
    var start = Duration.zero
    /// See `CurlMoments`.
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
    /// libcurl's times since its last search for a connection: 7.88 starts again with each search, while
    /// other releases count the wait between them as part of the lookup.
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
    init(_ moments: CurlMoments, since begin: ContinuousClock.Instant) {
      start = moments.start.map { $0 - begin } ?? .zero
      lookup = moments.lookup.map { $0 - begin }
      handshake = moments.handshake.map { $0 - begin }
      request = moments.request.map { $0 - begin }
      bodyEnd = moments.bodyEnd.map { $0 - begin }
      response = moments.response.map { $0 - begin }
    }

    /// The phases, for any combination of times.
    ///
    /// None is negative, and all of them add up to the total.
    var metrics: ExchangeMetrics {
      let end = start + max(total, .zero)
      // The point from which libcurl's times count. Its earlier attempts failed, so they count as waiting.
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
#endif
