#if os(Linux)
  /// The times of events in one call that libcurl does not record, or that not every release records as
  /// needed.
  struct CurlMoments {
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
#endif
