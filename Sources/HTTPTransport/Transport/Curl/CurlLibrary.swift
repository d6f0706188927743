#if os(Linux)
  import HTTPWire
  internal import CCurl

  /// The system's libcurl, loaded at run time.
  ///
  /// The table behind the pointer is filled once, and never changes or goes away, so any thread may
  /// use it. That is the reason for `@unchecked`.
  struct CurlLibrary: @unchecked Sendable {
    let api: UnsafePointer<ccurl_api>

    /// Loads and initializes libcurl at the first call in the process.
    ///
    /// libcurl's own initialization is thread-safe since 7.84. With an older one, make the first
    /// engine before another part of the process uses libcurl on another thread.
    ///
    /// - Throws: `.engineUnavailable` if there is no libcurl 7.68 or later.
    static func load() throws(TransportError) -> CurlLibrary {
      var reason: UnsafePointer<CChar>?
      guard let api = ccurl_load(&reason) else {
        throw .unavailable(reason.map { String(cString: $0) } ?? "libcurl cannot be opened")
      }
      return CurlLibrary(api: api)
    }

    /// The version, such as "7.88.1".
    var version: String { String(cString: api.pointee.version) }

    /// The name of the loaded library, such as "libcurl.so.4".
    var name: String { String(cString: api.pointee.library) }

    /// Whether a reused handle may append to a freed header of its previous response, if the next
    /// response begins with a folded line (curl issue 11101).
    ///
    /// This applies to 7.83 through 8.0.
    var keepsFreedHeaders: Bool {
      api.pointee.version_number >= 0x07_5300 && api.pointee.version_number < 0x08_0100
    }

    /// Whether libcurl asks before it sends a request, the first time and again (7.80).
    var asksBeforeRequests: Bool { api.pointee.version_number >= CCURL_VERSION_WITH_PREREQ }

    /// Whether libcurl shows the bytes of a chunked body before it removes their framing.
    ///
    /// 7.88 does so, 8.12 and 8.23 do not. libcurl reads bodies in another way since 8.4.
    var showsChunks: Bool { api.pointee.version_number < 0x08_0400 }

    /// Whether a refused stream on a kept connection is the only failure without a message.
    ///
    /// This is true for 7.88, but not for 8.12 and 8.23.
    var isSilentOfRefusedStreams: Bool { api.pointee.version_number >> 8 == 0x07_58 }

    /// Whether libcurl keeps the reset of an HTTP/2 stream until it next writes to the connection
    /// (curl issue 17611).
    ///
    /// This applies to 7.88 through 8.14. Others write it as soon as a transfer ends.
    var keepsResets: Bool {
      api.pointee.version_number >= 0x07_5800 && api.pointee.version_number < 0x08_0F00
    }

    /// Whether protocols are named by text (7.85) instead of bits.
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

    /// The file of trusted authorities that libcurl was built to use (7.84), or nil if it does not
    /// report one.
    var authorityFile: String? {
      guard api.pointee.version_number >= CCURL_VERSION_WITH_CAINFO_INFO,
        let easy = api.pointee.easy_init()
      else { return nil }
      defer { api.pointee.easy_cleanup(easy) }
      return ccurl_get_pointer(easy, CCURLINFO_CAINFO)
        .map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    }

    /// Returns libcurl's text for the code of a transfer.
    func text(for code: Int32) -> String {
      api.pointee.easy_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }

    /// Returns libcurl's text for the code of a multi handle.
    func multiText(for code: Int32) -> String {
      api.pointee.multi_strerror(code).map { String(cString: $0) } ?? "code \(code)"
    }
  }
#endif
