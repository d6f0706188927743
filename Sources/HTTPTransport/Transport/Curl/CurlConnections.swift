#if os(Linux)
  internal import CCurl

  /// The connections that libcurl has made for one engine, identified by their two ends.
  ///
  /// libcurl checks a kept connection before it reuses it. Up to 8.0, however, it takes waiting
  /// bytes for a sign of life, and reads them as the next response. An unrequested response, such
  /// as the 408 of a server that gives up waiting (RFC 9110 §15.5.9), thus becomes the next call's
  /// response. Each kept connection is therefore checked once more before a request is sent.
  ///
  /// A connection stays in the table after its end, until its descriptor is reused. It cannot be
  /// mistaken for the new one, since the new connection is entered first.
  final class CurlConnections {
    /// The two ends of a connection, as libcurl names them.
    struct Place: Hashable {
      let localPort: Int32
      let remotePort: Int32
      /// The remote address, which distinguishes connections with the same ports.
      let remoteAddress: String?
      /// For a connection to a unix socket, which has no ports: the number of the only handle to
      /// which libcurl gives it.
      ///
      /// Its remote address is the URL's origin.
      var handle: Int32?
    }

    /// Whether a connection serves one call at a time.
    enum Sharing {
      case never
      /// HTTP/2 was offered, and no response has decided yet. Calls that share the connection
      /// meanwhile know that.
      case undecided
      case always
    }

    private struct Connection {
      let socket: Int32
      /// For a connection to a unix socket: if this value has changed, the descriptor belongs to
      /// another connection.
      let identity: UInt64
      var sharing: Sharing
      /// The index of the byte for the end of its TLS, or nil if there is none.
      let end: Int?
    }

    private var connections: [Place: Connection] = [:]
    private var places: [Int32: Place] = [:]
    /// One byte for each TLS connection, reused in turns.
    ///
    /// It is 1 once the peer has announced the end.
    ///
    /// The bytes live as long as the engine, since libcurl may keep a connection beyond the call
    /// that made it. If two connections share a byte, one of them may seem to have announced its
    /// end.
    private let ends = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
    private var lastEnd = 0
    private var sessions: CurlTLSSessions?
    /// The numbers of handles for unix sockets.
    private var lastHandle: Int32 = 0
    private var freeHandles: [Int32] = []

    init() { ends.initialize(repeating: 0) }

    deinit { ends.deallocate() }

    /// Returns the sessions that all handles share.
    func sessions(_ library: CurlLibrary) -> CurlTLSSessions? {
      if sessions == nil { sessions = CurlTLSSessions(library) }
      return sessions
    }

    /// Returns a number that no other handle has.
    func takeHandle() -> Int32 {
      // The number that was returned last belongs to connections that may be alive.
      if let handle = freeHandles.popLast() { return handle }
      lastHandle += 1
      return lastHandle
    }

    /// Returns a handle's number for reuse, together with the connections kept for it.
    func giveBack(handle: Int32) { freeHandles.append(handle) }

    /// Begins to note the end of a TLS connection that is being made, and returns its index.
    func watchEnd(of tlsContext: UnsafeMutableRawPointer) -> Int {
      let (number, byte) = takeEnd()
      ccurl_watch_tls_end(tlsContext, byte)
      return number
    }

    /// Returns the next connection's byte, reset to 0, with its index.
    func takeEnd() -> (number: Int, byte: UnsafeMutablePointer<UInt8>?) {
      lastEnd = (lastEnd + 1) % ends.count
      ends[lastEnd] = 0
      return (lastEnd, ends.baseAddress?.advanced(by: lastEnd))
    }

    /// Whether a connection ended without an announcement of the peer, which an attacker could have
    /// caused (RFC 8446 §6.1).
    ///
    /// It is false if that is unknown.
    func hasEndedInSilence(_ place: Place) -> Bool {
      guard let end = connections[place]?.end else { return false }
      return ends[end] == 0
    }

    /// Enters a new connection.
    func enter(_ place: Place, socket: Int32, mayBeShared: Bool, end: Int?) {
      if let former = places.updateValue(place, forKey: socket), former != place {
        connections[former] = nil
      }
      connections[place] = Connection(
        socket: socket, identity: place.handle == nil ? 0 : ccurl_socket_identity(socket),
        sharing: mayBeShared ? .undecided : .never, end: end)
    }

    /// Notes the information in the first line of a response.
    func note(_ place: Place, isShared: Bool) {
      connections[place]?.sharing = isShared ? .always : .never
    }

    /// Whether the connection may carry several calls at a time.
    func isShared(_ place: Place) -> Bool { connections[place]?.sharing == .always }

    /// Whether a kept connection must not be used for another request: it has bytes, its end or an
    /// error to read, although nothing was requested.
    ///
    /// A shared connection may have bytes at any time, and each response there names its request.
    func isSpent(_ place: Place) -> Bool {
      // An origin can have two spellings; a handle's connection may be stored under the other one.
      guard let connection = connections[place] else { return place.handle != nil }
      guard connection.sharing == .never else { return false }
      if place.handle != nil, ccurl_socket_identity(connection.socket) != connection.identity {
        return true
      }
      return ccurl_is_silent(connection.socket) == 0
    }
  }
#endif
