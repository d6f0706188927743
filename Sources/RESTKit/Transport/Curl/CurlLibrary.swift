#if os(Linux)
  internal import CCurl

  /// The system's libcurl, opened at run time.
  ///
  /// The table behind the pointer is filled once and never changes or goes away, so any thread may
  /// hold it: hence `@unchecked`.
  struct CurlLibrary: @unchecked Sendable {
    let api: UnsafePointer<ccurl_api>

    /// Opens libcurl, at the first call of the process, and initializes it.
    ///
    /// libcurl's own initialization is thread-safe since 7.84; with an older one, make the first
    /// engine before another part of the process uses libcurl on another thread.
    ///
    /// - Throws: `.engineUnavailable` if there is none, or one older than 7.68.
    static func load() throws(TransportError) -> CurlLibrary {
      var reason: UnsafePointer<CChar>?
      guard let api = ccurl_load(&reason) else {
        throw .unavailable(reason.map { String(cString: $0) } ?? "libcurl cannot be opened")
      }
      return CurlLibrary(api: api)
    }

    /// The version, like "7.88.1".
    var version: String { String(cString: api.pointee.version) }

    /// The name under which it was found, like "libcurl.so.4".
    var name: String { String(cString: api.pointee.library) }

    /// Whether a handle that is used again may append to a freed header of the response before, when
    /// the next one begins with a folded line (curl issue 11101): from 7.83 to 8.0.
    var keepsFreedHeaders: Bool {
      api.pointee.version_number >= 0x07_5300 && api.pointee.version_number < 0x08_0100
    }

    /// Whether libcurl asks before it sends a request, the first time and again (7.80).
    var asksBeforeRequests: Bool { api.pointee.version_number >= CCURL_VERSION_WITH_PREREQ }

    /// Whether the bytes of a chunked body are shown before their framing is undone.
    ///
    /// 7.88 does so, 8.12 and 8.23 do not. With 8.4 libcurl began to read bodies another way.
    var showsChunks: Bool { api.pointee.version_number < 0x08_0400 }

    /// Whether a stream that the server refused, on a kept connection, is the one failure without words:
    /// so it is in 7.88, and not in 8.12 and 8.23.
    var isSilentOfRefusedStreams: Bool { api.pointee.version_number >> 8 == 0x07_58 }

    /// Whether protocols are named by text (7.85) rather than by bits.
    var namesProtocols: Bool { api.pointee.version_number >= CCURL_VERSION_WITH_PROTOCOLS_STR }

    /// Whether it was built with HTTP/2.
    var speaksHTTP2: Bool { Int(api.pointee.features) & Int(CCURL_VERSION_HTTP2) != 0 }

    /// Whether it was built with TLS.
    var speaksTLS: Bool { Int(api.pointee.features) & Int(CCURL_VERSION_SSL) != 0 }

    /// Whether it can speak TLS to a proxy.
    var speaksTLSToProxies: Bool {
      Int(api.pointee.features) & Int(CCURL_VERSION_HTTPS_PROXY) != 0
    }

    /// Whether it can connect to unix sockets.
    var knowsUnixSockets: Bool {
      Int(api.pointee.features) & Int(CCURL_VERSION_UNIX_SOCKETS) != 0
    }

    /// Whether it can connect to IPv6 addresses.
    var knowsIPv6: Bool { Int(api.pointee.features) & Int(CCURL_VERSION_IPV6) != 0 }

    /// Where it was built to look for trusted authorities (7.84); nil where it does not say.
    var authorityFile: String? {
      guard api.pointee.version_number >= CCURL_VERSION_WITH_CAINFO_INFO,
        let easy = api.pointee.easy_init()
      else { return nil }
      defer { api.pointee.easy_cleanup(easy) }
      return ccurl_get_pointer(easy, CCURLINFO_CAINFO)
        .map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    }

    /// libcurl's text for the code of a transfer.
    func text(for code: Int32) -> String {
      api.pointee.easy_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }

    /// libcurl's text for the code of a multi handle.
    func multiText(for code: Int32) -> String {
      api.pointee.multi_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }
  }
#endif
