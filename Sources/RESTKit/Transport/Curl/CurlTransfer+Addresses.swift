#if os(Linux)
  internal import CCurl
  import Foundation

  extension CurlTransfer {
    /// Sets where connections go; gives libcurl's codes.
    func addressCodes() throws(TransportError) -> [Int32] {
      if let number, let path = configuration.addresses.socketPath {
        return [
          ccurl_set_string(easy, CCURLOPT_UNIX_SOCKET_PATH, path),
          // libcurl asks the system for no port of such a socket, but keeps its connections apart by the
          // port: so a handle is given those back alone that were made for it.
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
      // The handle's first transfer puts them into the cache of all handles, where they stay.
      return [ccurl_set_list(easy, CCURLOPT_RESOLVE, addressLines)]
    }

    /// The connection of the call, where that goes to a unix socket and so has no ports; else nil.
    var placeAtSocket: CurlConnections.Place? {
      guard let number, let job else { return nil }
      return CurlConnections.Place(
        localPort: 0, remotePort: 0, remoteAddress: job.origin, handle: number)
    }

    /// libcurl's words for the end of the call.
    func words(for code: Int32) -> String {
      // libcurl names the URL's host, which it did not try to connect to.
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
