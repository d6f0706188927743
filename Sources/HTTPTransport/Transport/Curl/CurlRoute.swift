#if os(Linux)
  internal import CCurl

  /// The path of one call to its connection.
  struct CurlRoute {
    /// Whether HTTP/2 is offered.
    var mayShare = false
    /// The connection of the request, or nil before there is one.
    private(set) var place: CurlConnections.Place?
    /// Whether libcurl chose a kept connection that is no longer usable.
    ///
    /// Nothing was sent on it.
    private(set) var isSpent = false
    /// The sockets that libcurl opened for the call and has not connected yet.
    private var sockets: [Int32] = []
    private var connects = 0
    private var end: Int?

    /// Notes a socket that libcurl opened.
    mutating func note(socket: Int32) { sockets.append(socket) }

    /// Notes the index for the end of a TLS connection that libcurl makes.
    ///
    /// The last one is the server's, after that of a proxy.
    mutating func note(end: Int) { self.end = end }

    /// Takes the connection that libcurl chose.
    ///
    /// Returns false if no request may be sent on it.
    ///
    /// - Parameter connects: The number of connections that libcurl has made for the call.
    mutating func enter(
      _ place: CurlConnections.Place, connects: Int, of connections: CurlConnections
    ) -> Bool {
      self.place = place
      guard connects > self.connects else {
        isSpent = connections.isSpent(place)
        return !isSpent
      }
      self.connects = connects
      // Of several connection attempts, one for each address, one succeeded; a unix socket is one
      // address.
      let socket = sockets.last {
        sockets.count == 1 || place.handle != nil || ccurl_local_port($0) == place.localPort
      }
      sockets.removeAll(keepingCapacity: true)
      if let socket {
        connections.enter(place, socket: socket, mayBeShared: mayShare, end: end.take())
      }
      return true
    }

    /// Forgets the connection, before the call continues over a new one.
    mutating func leave() {
      place = nil
      isSpent = false
      connects = 0
    }

    /// Determines from the first line of a head whether the connection is shared.
    ///
    /// Returns true if the line says that it is.
    func note(_ line: UnsafeRawBufferPointer, in connections: CurlConnections) -> Bool {
      guard mayShare, line.starts(with: "HTTP/".utf8) else { return false }
      let isShared = line.dropFirst(5).first != UInt8(ascii: "1")
      if let place { connections.note(place, isShared: isShared) }
      return isShared
    }
  }
#endif
