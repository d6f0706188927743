#if os(Linux)
  /// The marks of one call as they were taken, and the phases that they come to.
  struct CurlTimes {
    // MARK: By our clock, since the call began

    /// When libcurl was given the call: before that it waited for a connection.
    var start = Duration.zero
    /// See `CurlMoments`.
    var lookup: Duration?
    var handshake: Duration?
    var request: Duration?
    var bodyEnd: Duration?
    var response: Duration?

    // MARK: What libcurl says

    /// Whether it made no connection.
    var isConnectionReused = false
    /// Whether a proxy opened a tunnel.
    var hasTunnel = false
    /// Whether the request has a body.
    var hasBody = false
    /// Its marks, from its last look for a connection: 7.88 begins anew with each, where others count
    /// the wait between them as a part of the lookup.
    var nameLookup = Duration.zero
    var connect = Duration.zero
    var secureConnect = Duration.zero
    var preTransfer = Duration.zero
    /// The first byte of the response where the request has no body: where it has one, 7.88 marks when
    /// it begins to send that.
    var startTransfer = Duration.zero
    /// The time from when it was given the call, whatever came between.
    var total = Duration.zero

    init() {}

    /// The moments of a call that began at one.
    init(_ moments: CurlMoments, since begin: ContinuousClock.Instant) {
      start = moments.start.map { $0 - begin } ?? .zero
      lookup = moments.lookup.map { $0 - begin }
      handshake = moments.handshake.map { $0 - begin }
      request = moments.request.map { $0 - begin }
      bodyEnd = moments.bodyEnd.map { $0 - begin }
      response = moments.response.map { $0 - begin }
    }

    /// The phases, whatever the marks are: none is negative, and all of them add up to the total.
    var metrics: ExchangeMetrics {
      let end = start + max(total, .zero)
      // Where libcurl's marks begin; what it did before came to nothing, and so was a wait.
      let origin = max(request.map { $0 - preTransfer } ?? start, start)
      let ready = origin + preTransfer
      // On a kept connection, what libcurl marks before it sends is a wait.
      var (begun, named, connected) = (ready, ready, ready)
      if !isConnectionReused {
        named = origin + nameLookup
        begun = lookup ?? named
        if secureConnect > .zero {
          connected = origin + connect
          // libcurl's mark is where the connection to the proxy stands.
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
