#if os(Linux)
  internal import CCurl
  import Foundation

  extension CurlTransfer {
    /// Sets the destinations of connections, and returns libcurl's codes.
    func addressCodes() throws(TransportError) -> [Int32] {
      if let number, let path = configuration.addresses.socketPath {
        return [
          ccurl_set_string(easy, CCURLOPT_UNIX_SOCKET_PATH, path),
          // libcurl does not request a port of the system for such a socket, but it distinguishes its
          // connections by the port. A handle thus gets only connections that were made for it.
          ccurl_set_long(easy, CCURLOPT_LOCALPORT, Int(number)),
        ]
      }
      let lines = configuration.addresses.lines
      guard !lines.isEmpty else { return [] }
      for line in lines {
        guard
          let longer = line.withCString({ library.api.pointee.slist_append(addressLines, $0) })
        else { throw .unavailable(library.text(for: Int32(CCURLE_OUT_OF_MEMORY.rawValue))) }
        addressLines = longer
      }
      // The handle's first transfer adds them to the cache of all handles, where they stay.
      return [ccurl_set_list(easy, CCURLOPT_RESOLVE, addressLines)]
    }

    /// The connection of a call to a unix socket, which has no ports; nil for other calls.
    var placeAtSocket: CurlConnections.Place? {
      guard let number, let job else { return nil }
      return CurlConnections.Place(
        localPort: 0, remotePort: 0, remoteAddress: job.origin, handle: number)
    }

    /// Returns libcurl's message for the end of the call.
    func words(for code: Int32) -> String {
      // libcurl's message would name the URL's host, to which it did not connect.
      if code == Int32(CCURLE_COULDNT_CONNECT.rawValue),
        let path = configuration.addresses.socketPath
      {
        let error = Int32(truncatingIfNeeded: ccurl_get_long(easy, CCURLINFO_OS_ERRNO))
        let reason = error == 0 ? library.text(for: code) : String(cString: strerror(error))
        return "unix socket \(path): \(reason);"
          + " check its path, its permissions and that its server runs"
      }
      return errorText[0] == 0 ? library.text(for: code) : String(cString: errorText)
    }
  }
#endif
