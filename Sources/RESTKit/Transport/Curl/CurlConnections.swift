#if os(Linux)
  internal import CCurl

  /// The connections that libcurl has made for one engine, by their two ends.
  ///
  /// libcurl looks at a kept connection before it uses it again, but up to 8.0 takes bytes that wait
  /// there for life, and the next response for what they are: an answer that nobody asked for, such as
  /// the 408 of a server that gives up waiting (RFC 9110 §15.5.9), becomes the next call's. So each kept
  /// connection is looked at once more before a request goes out.
  ///
  /// A connection stays in the table after its end, until its descriptor is given out again: no end of
  /// it can be asked for, since who takes its place is entered first.
  final class CurlConnections {
    /// The two ends of a connection, as libcurl names them.
    struct Place: Hashable {
      let localPort: Int32
      let remotePort: Int32
      /// The ports of many connections are the same, so this tells them apart.
      let remoteAddress: String?
      /// Of a connection to a unix socket, which has no ports, the number of the only handle that
      /// libcurl gives it to; its remote address is the URL's origin.
      var handle: Int32?
    }

    /// Whether a connection has one call at a time.
    enum Sharing {
      case never
      /// HTTP/2 was offered, and nothing came yet that tells; whoever shares it meanwhile knows.
      case undecided
      case always
    }

    private struct Connection {
      let socket: Int32
      /// Of a connection to a unix socket: the descriptor is another one's where this has changed.
      let identity: UInt64
      var sharing: Sharing
      /// Where the end of its TLS is noted; nil where there is none, or nobody notes it.
      let end: Int?
    }

    private var connections: [Place: Connection] = [:]
    private var places: [Int32: Place] = [:]
    /// A byte for each TLS connection, in turns: it is 1 once the peer said that it ends.
    ///
    /// They live as long as the engine, and not as long as their connections, which libcurl may keep
    /// beyond the call that made them. A byte that two connections share tells of one more end.
    private let ends = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
    private var lastEnd = 0
    /// Numbers of handles that are to unix sockets.
    private var lastHandle: Int32 = 0
    private var freeHandles: [Int32] = []

    init() { ends.initialize(repeating: 0) }

    deinit { ends.deallocate() }

    /// A number that no other handle has.
    func takeHandle() -> Int32 {
      // The last one that was given back has connections that may be alive.
      if let handle = freeHandles.popLast() { return handle }
      lastHandle += 1
      return lastHandle
    }

    /// Has another handle take this one's number, and with it the connections that are kept for it.
    func giveBack(handle: Int32) { freeHandles.append(handle) }

    /// Begins to note the end of a TLS connection that is being made; its number.
    func watchEnd(of tlsContext: UnsafeMutableRawPointer) -> Int {
      let (number, byte) = takeEnd()
      ccurl_watch_tls_end(tlsContext, byte)
      return number
    }

    /// The next connection's byte, which is 0 again, and its number.
    func takeEnd() -> (number: Int, byte: UnsafeMutablePointer<UInt8>?) {
      lastEnd = (lastEnd + 1) % ends.count
      ends[lastEnd] = 0
      return (lastEnd, ends.baseAddress?.advanced(by: lastEnd))
    }

    /// Whether a connection that has ended did so without a word of the peer's, which an attacker could
    /// have had it do (RFC 8446 §6.1); false where that cannot be told.
    func hasEndedInSilence(_ place: Place) -> Bool {
      guard let end = connections[place]?.end else { return false }
      return ends[end] == 0
    }

    /// Enters a connection that was just made.
    func enter(_ place: Place, socket: Int32, mayBeShared: Bool, end: Int?) {
      if let former = places.updateValue(place, forKey: socket), former != place {
        connections[former] = nil
      }
      connections[place] = Connection(
        socket: socket, identity: place.handle == nil ? 0 : ccurl_socket_identity(socket),
        sharing: mayBeShared ? .undecided : .never, end: end)
    }

    /// Notes what the first line of a response tells.
    func note(_ place: Place, isShared: Bool) {
      connections[place]?.sharing = isShared ? .always : .never
    }

    /// Whether several calls may be on the connection at a time.
    func isShared(_ place: Place) -> Bool { connections[place]?.sharing == .always }

    /// Whether a kept connection must not be used for another request: something is there to be read,
    /// its end or an error, though nothing was asked for.
    ///
    /// On a shared one there may be something at any time, and each answer names its request.
    func isSpent(_ place: Place) -> Bool {
      // An origin can be spelled in two ways: a handle's connection may be known by the other one.
      guard let connection = connections[place] else { return place.handle != nil }
      guard connection.sharing == .never else { return false }
      if place.handle != nil, ccurl_socket_identity(connection.socket) != connection.identity {
        return true
      }
      return ccurl_is_silent(connection.socket) == 0
    }
  }
#endif
