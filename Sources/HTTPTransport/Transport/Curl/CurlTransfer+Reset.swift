#if os(Linux)
  internal import CCurl

  /// The end of an HTTP/2 stream before that of its response.
  ///
  /// libcurl resets the stream when it is told to remove the transfer. Some releases write the
  /// reset only with their next write to the connection, and the server continues until then.
  /// Nothing in libcurl's API writes it, but two things lead to it. A connection that may not be
  /// reused is closed with its last transfer (`CURLOPT_FORBID_REUSE`). And a paused transfer that
  /// continues announces its window to the server, on the same connection. Releases without that
  /// fault are left as they are.
  extension CurlTransfer {
    /// The connection whose other transfers can have a reset sent; nil if none need to.
    var placeOfResets: CurlConnections.Place? {
      library.keepsResets && route.mayShare ? route.place : nil
    }

    /// Has libcurl close the connection together with this transfer, unless others use it.
    ///
    /// Run it before libcurl ends a transfer whose response is not complete.
    func abandon() {
      guard library.keepsResets, route.mayShare else { return }
      _ = ccurl_set_long(easy, CCURLOPT_FORBID_REUSE, 1)
    }

    /// Has libcurl write what waits on the transfer's connection, by pausing the transfer and
    /// resuming it.
    ///
    /// Returns libcurl's code, which is nonzero if the transfer has failed; or nil if the transfer
    /// has left the connection.
    func stir() -> Int32? {
      let api = library.api.pointee
      guard api.easy_pause(easy, Int32(CCURLPAUSE_RECV)) == 0 else { return nil }
      return api.easy_pause(easy, Int32(CCURLPAUSE_CONT))
    }

    /// The time for which a cancelled call keeps its connection open: a search, for example,
    /// replaces a call by the next one.
    private static let lingering = Duration.milliseconds(20)

    /// Begins the wait for another call on the connection, and returns whether there is one to wait
    /// for.
    func linger() -> Bool {
      guard lingerEnd == nil, let place = placeOfResets, connections.isShared(place) else {
        return false
      }
      lingerEnd = .now + Self.lingering
      return true
    }
  }
#endif
