#if os(Linux)
  /// When what libcurl does not time happened in one call, or what not every release times as it is meant
  /// here.
  struct CurlMoments {
    typealias Instant = ContinuousClock.Instant

    /// When libcurl was given the call, the last time.
    let start: Instant?
    /// When it began to look the name up; nil where it knew the address.
    private(set) var lookup: Instant?
    /// When its last handshake began: the server's, behind that of a proxy.
    private(set) var handshake: Instant?
    /// When it was about to send the request, the last time; nil where nobody noted it.
    private(set) var request: Instant?
    /// When it had the last byte of the request's body.
    private(set) var bodyEnd: Instant?
    /// When the response began that is not an interim one.
    private(set) var response: Instant?

    init(start: Instant? = nil) { self.start = start }

    /// Notes that a name is looked up; the first time counts, since two kinds of address are looked up
    /// one after the other.
    mutating func noteLookup(_ now: Instant = .now) { lookup = lookup ?? now }

    /// Notes that a handshake begins.
    mutating func noteHandshake(_ now: Instant = .now) { handshake = now }

    /// Notes that the request goes out, at first or again.
    mutating func noteRequest(_ now: Instant = .now) {
      if let before = request {
        // What was before the request that had no answer is not what this one waited for.
        if let lookup, lookup < before { self.lookup = nil }
        if let handshake, handshake < before { self.handshake = nil }
      }
      request = now
      bodyEnd = nil
      response = nil
    }

    /// Notes that all of the body is with libcurl.
    mutating func noteBodyEnd(_ now: Instant = .now) { bodyEnd = now }

    /// Notes a status line.
    mutating func noteResponse(_ now: Instant = .now) { response = now }
  }
#endif
