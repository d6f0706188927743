#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  extension CurlTransfer {
    func setConstants() throws(TransportError) {
      let context = Unmanaged.passUnretained(self).toOpaque()
      var codes = CurlCodes()
      codes += ccurl_set_pointer(easy, CCURLOPT_PRIVATE, context)
      codes += ccurl_set_pointer(easy, CCURLOPT_ERRORBUFFER, errorText)
      codes += ccurl_set_long(easy, CCURLOPT_NOSIGNAL, 1)
      codes += ccurl_set_long(easy, CCURLOPT_FOLLOWLOCATION, 0)
      codes += ccurl_set_long(easy, CCURLOPT_NETRC, 0)
      codes += ccurl_set_long(easy, CCURLOPT_HTTP09_ALLOWED, 0)
      codes += ccurl_set_long(easy, CCURLOPT_PATH_AS_IS, 1)
      codes += ccurl_set_long(easy, CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      codes += ccurl_set_long(easy, CCURLOPT_DISALLOW_USERNAME_IN_URL, 1)
      codes += ccurl_set_string(easy, CCURLOPT_USERAGENT, EngineRequest.userAgent)
      codes += ccurl_set_data_callback(easy, CCURLOPT_WRITEFUNCTION, CurlCallbacks.write)
      codes += ccurl_set_pointer(easy, CCURLOPT_WRITEDATA, context)
      codes += ccurl_set_data_callback(easy, CCURLOPT_HEADERFUNCTION, CurlCallbacks.header)
      codes += ccurl_set_pointer(easy, CCURLOPT_HEADERDATA, context)
      codes += ccurl_set_data_callback(easy, CCURLOPT_READFUNCTION, CurlCallbacks.read)
      codes += ccurl_set_pointer(easy, CCURLOPT_READDATA, context)
      codes += ccurl_set_seek_callback(easy, CurlCallbacks.seek)
      codes += ccurl_set_pointer(easy, CCURLOPT_SEEKDATA, context)
      if library.namesProtocols {
        codes += ccurl_set_string(easy, CCURLOPT_PROTOCOLS_STR, "http,https")
        codes += ccurl_set_string(easy, CCURLOPT_REDIR_PROTOCOLS_STR, "http,https")
      } else {
        codes += ccurl_set_long(easy, CCURLOPT_PROTOCOLS, CCURLPROTO_HTTP_AND_HTTPS)
        codes += ccurl_set_long(easy, CCURLOPT_REDIR_PROTOCOLS, CCURLPROTO_HTTP_AND_HTTPS)
      }
      if library.asksBeforeRequests {
        codes += ccurl_set_prereq_callback(easy, CurlCallbacks.prereq)
        codes += ccurl_set_pointer(easy, CCURLOPT_PREREQDATA, context)
      }
      codes += ccurl_set_debug_callback(easy, CurlCallbacks.debug)
      codes += ccurl_set_pointer(easy, CCURLOPT_DEBUGDATA, context)
      codes += ccurl_set_progress_callback(easy, CurlCallbacks.progress)
      codes += ccurl_set_pointer(easy, CCURLOPT_XFERINFODATA, context)
      codes += ccurl_set_socket_callback(easy, CurlCallbacks.socket)
      codes += ccurl_set_pointer(easy, CCURLOPT_SOCKOPTDATA, context)
      codes += ccurl_set_lookup_callback(easy, CurlCallbacks.lookup)
      codes += ccurl_set_pointer(easy, CCURLOPT_RESOLVER_START_DATA, context)
      if let sessions { codes += ccurl_set_pointer(easy, CCURLOPT_SHARE, sessions.handle) }
      codes += securityCodes()
      codes += try addressCodes()
      if library.speaksTLS, ccurl_watches_tls_ends() != 0 {
        codes += ccurl_set_tls_callback(easy, CurlCallbacks.tls)
        codes += ccurl_set_pointer(easy, CCURLOPT_SSL_CTX_DATA, context)
      }
      try check(codes, .engineUnavailable)
    }

    /// Sets the handle up for a call.
    ///
    /// - Parameters:
    ///   - feed: The way to the buffer of a call in pieces, or nil to collect the response.
    ///   - deliveryQueue: The queue in which the body runs user code.
    ///   - onBody: A closure that runs on any thread when there is more of a body that had to wait.
    func prepare(
      _ job: CurlJob, in line: CurlConnectionQueue.Line, _ feed: CurlFeed?,
      _ deliveryQueue: CurlDeliveryQueue,
      onBody: @escaping @Sendable () -> Void
    ) throws(TransportError) {
      do throws(TransportError) {
        reader = try Self.reader(for: job.request, deliveryQueue, onBody: onBody)
        try set(job)
        let patience = CallPatience(
          call: job.call, deadline: job.request.timeout.map { job.begin + $0 })
        self.patience = patience
        response = CurlResponseReader(
          configuration.limits, feed: feed,
          isOfHead: job.request.method == "HEAD",
          choosesCodings: job.request.headers.contains("Accept-Encoding"), patience: patience)
        idleLimit = job.request.idleTimeout
        noteActivity()
      } catch {
        clear()
        throw error
      }
      self.job = job
      waitingLine = line
    }

    /// The maximum size of a body over HTTP/2.
    ///
    /// Larger bodies use HTTP/1.1.
    ///
    /// When a server responds before it has read the body, many releases of libcurl (including
    /// 7.88) wait forever for HTTP/2's flow control to let them send the rest, some with a busy
    /// loop: curl issues 986, 10433 and 15316. A body of this size can be sent without a window
    /// update (RFC 9113 §6.9.2). If a server allows less, the call's timeout ends the call.
    static let maxMultiplexedBody = 65_535

    /// The number of bytes to read at a time: libcurl's own choice, and one for bodies of any size.
    private static let usualBuffer = 16 << 10
    private static let largeBuffer = 256 << 10

    private func set(_ job: CurlJob) throws(TransportError) {
      let request = job.request
      let now = ContinuousClock.now
      timestamps = CurlTimestamps(start: now)
      var time = try timeLeft(of: job, at: now)
      isRepeatable = request.isRepeatable
      errorText[0] = 0
      let multiplexes =
        job.isSecure && library.speaksHTTP2 && number == nil
        && (reader == nil || reader?.length.map { $0 <= Self.maxMultiplexedBody } == true)
      // If libcurl does not ask before each request, only a new connection is safe for a request
      // that must not run twice and has no body whose rewinding could be refused.
      let needsFresh = !library.asksBeforeRequests && !isRepeatable && reader == nil
      route.mayShare = multiplexes
      // libcurl's own limit leaves no chance to have the stream's reset sent.
      if multiplexes, library.keepsResets, let timeout = request.timeout {
        deadline = job.begin + timeout
        time = 0
      }
      let mayTunnel = job.isSecure && configuration.security.proxy != .none
      if mayTunnel { tunnel.begin() }
      var codes = CurlCodes()
      codes += request.url.withCString { ccurl_set_string(easy, CCURLOPT_URL, $0) }
      // libcurl uses the parsed URL. Since it also has the text, it does not compose the text
      // again.
      codes += ccurl_set_pointer(easy, CCURLOPT_CURLU, job.url?.handle)
      codes += ccurl_set_long(easy, CCURLOPT_TIMEOUT_MS, time)
      codes += ccurl_set_long(
        easy, CCURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(configuration.connectTimeout))
      codes += ccurl_set_long(
        easy, CCURLOPT_HTTP_VERSION, multiplexes ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1)
      codes += ccurl_set_long(easy, CCURLOPT_PIPEWAIT, multiplexes ? 1 : 0)
      codes += ccurl_set_long(easy, CCURLOPT_FRESH_CONNECT, needsFresh ? 1 : 0)
      codes += ccurl_set_long(easy, CCURLOPT_NOPROGRESS, mayTunnel ? 0 : 1)
      // Only libcurl's messages tell that a stream was refused, so that the request may be sent
      // again.
      codes += ccurl_set_long(easy, CCURLOPT_VERBOSE, multiplexes && !isRepeatable ? 1 : 0)
      // libcurl refuses this if the handle still has the buffer of its previous call, as after a
      // shared connection (multi_done of libcurl 7.88). Any size will do then.
      _ = ccurl_set_long(
        easy, CCURLOPT_BUFFERSIZE, request.events == nil ? Self.usualBuffer : Self.largeBuffer)
      try check(codes, .unsupportedURL)
      try set(method: request.method)
      try set(headers: request.headers)
    }

    /// Sets the handle up to continue over a new connection.
    func beginAnew() throws(TransportError) {
      guard let job else { return }
      route.leave()
      let now = ContinuousClock.now
      timestamps = CurlTimestamps(start: now)
      var codes = CurlCodes()
      let time = try timeLeft(of: job, at: now)
      codes += ccurl_set_long(easy, CCURLOPT_TIMEOUT_MS, deadline == nil ? time : 0)
      codes += ccurl_set_long(easy, CCURLOPT_FRESH_CONNECT, 1)
      try check(codes, .engineUnavailable)
    }

    /// Returns the milliseconds for libcurl; 0 means no limit.
    private func timeLeft(
      of job: CurlJob, at now: ContinuousClock.Instant
    ) throws(TransportError) -> Int {
      guard let timeout = job.request.timeout else { return 0 }
      let left = timeout - (now - job.begin)
      guard left > .zero else { throw .overBeforeBegun }
      return Self.milliseconds(left)
    }

    func endTunnelWatch() {
      if tunnel.end() { _ = ccurl_set_long(easy, CCURLOPT_NOPROGRESS, 1) }
    }

    /// Returns the reader for the body of a request, or nil if there is no body.
    private static func reader(
      for request: EngineRequest, _ deliveryQueue: CurlDeliveryQueue,
      onBody: @escaping @Sendable () -> Void
    ) throws(TransportError) -> (any BodyReader)? {
      guard let upload = request.upload else {
        guard let body = request.body, !body.isEmpty else { return nil }
        return DataBodyReader(body)
      }
      switch try upload.begin() {
      case .data(let data): return data.isEmpty ? nil : DataBodyReader(data)
      case .file(let url): return try FileBodyReader(url)
      case .spool(let spool): return try FileBodyReader(spool.file)
      case .chunks(let publisher, let length):
        return ChunkBodyReader(publisher, length: length, deliveryQueue, onReady: onBody)
      }
    }

    private func set(method: String) throws(TransportError) {
      var codes = CurlCodes()
      // HTTPGET resets the choice of a previous call. Then at most one of the others is set.
      codes += ccurl_set_long(easy, CCURLOPT_HTTPGET, 1)
      let hasBody = reader != nil || method == "POST" || method == "PUT" || method == "PATCH"
      if method == "HEAD" {
        codes += ccurl_set_long(easy, CCURLOPT_NOBODY, 1)
      } else if hasBody {
        codes += ccurl_set_long(easy, CCURLOPT_UPLOAD, 1)
        // A length of -1 means an unknown length: the body is sent in chunks.
        let length = reader.map { $0.length ?? -1 } ?? 0
        codes += ccurl_set_offset(easy, CCURLOPT_INFILESIZE_LARGE, length)
      }
      let isImplied = method == "HEAD" || (method == "GET" && !hasBody)
      codes += ccurl_set_string(easy, CCURLOPT_CUSTOMREQUEST, isImplied ? nil : method)
      try check(codes, .invalidRequest)
    }

    private func set(headers: HTTPHeaders) throws(TransportError) {
      for (name, value) in headers {
        let value = value[...].trimmingBlanks
        // This is libcurl's notation for a header without a value; "Name:" would remove the header.
        try add(value.isEmpty ? "\(name);" : "\(name): \(value)")
      }
      if !headers.contains("Accept-Encoding") { try add(Self.acceptEncoding) }
      // Without this, libcurl waits up to a second for a 100 before it sends a large body.
      if reader != nil, !headers.contains("Expect") { try add("Expect:") }
      var codes = CurlCodes()
      codes += ccurl_set_list(easy, CCURLOPT_HTTPHEADER, headerList)
      try check(codes, .invalidRequest)
    }

    private static let acceptEncoding = "Accept-Encoding: \(ContentDecoder.acceptedCodings)"

    private func add(_ line: String) throws(TransportError) {
      guard let longer = line.withCString({ library.api.pointee.slist_append(headerList, $0) })
      else {
        throw .unavailable(library.text(for: Int32(CCURLE_OUT_OF_MEMORY.rawValue)))
      }
      headerList = longer
    }

    private func check(_ codes: CurlCodes, _ kind: TransportError.Kind) throws(TransportError) {
      guard let refusal = codes.refusal else { return }
      throw .beforeSending(kind, "libcurl refused an option: \(library.text(for: refusal))")
    }

    /// Returns milliseconds for libcurl, which takes 0 for "no limit" and at most a C int, which is
    /// 24 days.
    static func milliseconds(_ duration: Duration) -> Int {
      Int(min(max(duration, .milliseconds(1)), .seconds(2_000_000)).wholeMilliseconds)
    }
  }

  extension CurlTransfer {
    /// Sets trust, identity and proxy, and returns libcurl's codes.
    ///
    /// libcurl verifies certificates and their names by default, and no option changes that.
    private func securityCodes() -> [Int32] {
      let security = configuration.security
      var codes = proxyCodes(security.proxy)
      guard library.speaksTLS else { return codes }
      let version =
        switch security.minimumVersion {
        case .tls12: CCURL_SSLVERSION_TLS1_2
        case .tls13: CCURL_SSLVERSION_TLS1_3
        }
      codes.append(ccurl_set_long(easy, CCURLOPT_SSLVERSION, version))
      if let pins = security.pins {
        codes.append(ccurl_set_string(easy, CCURLOPT_PINNEDPUBLICKEY, pins))
      }
      if let identity = security.identity {
        codes += [
          ccurl_set_string(easy, CCURLOPT_SSLCERT, identity.certificate.path),
          ccurl_set_string(easy, CCURLOPT_SSLKEY, identity.key.path),
          // Without a passphrase, OpenSSL asks for one on the terminal, and waits.
          ccurl_set_string(easy, CCURLOPT_KEYPASSWD, identity.passphrase ?? ""),
        ]
      }
      if let path = authorityPath {
        codes += authorityCodes(path, CCURLOPT_CAINFO, CCURLOPT_CAPATH)
      }
      guard library.speaksTLSToProxies else { return codes }
      codes.append(ccurl_set_long(easy, CCURLOPT_PROXY_SSLVERSION, version))
      if let path = authorityPath {
        codes += authorityCodes(path, CCURLOPT_PROXY_CAINFO, CCURLOPT_PROXY_CAPATH)
      }
      return codes
    }

    /// The file of authorities, used without libcurl's folder of them: with a folder, libcurl
    /// parses the whole file again for each connection, which takes 35 ms on the leading thread.
    private var authorityPath: String? {
      configuration.security.authorityFile?.path ?? configuration.security.systemAuthorities
    }

    private func authorityCodes(
      _ path: String, _ file: ccurl_option, _ folder: ccurl_option
    ) -> [Int32] {
      // A libcurl that was built with a folder of authorities trusts them in addition to those in
      // the file.
      let code = ccurl_set_string(easy, folder, nil)
      return [
        ccurl_set_string(easy, file, path),
        code == Int32(CCURLE_NOT_BUILT_IN.rawValue) ? 0 : code,
      ]
    }

    private func proxyCodes(_ policy: ProxyPolicy) -> [Int32] {
      switch policy {
      case .environment: []
      case .none: [ccurl_set_string(easy, CCURLOPT_PROXY, "")]
      case .proxy(let server):
        [
          ccurl_set_string(easy, CCURLOPT_PROXY, server.address),
          ccurl_set_string(easy, CCURLOPT_PROXYUSERNAME, server.user),
          ccurl_set_string(easy, CCURLOPT_PROXYPASSWORD, server.password),
          // If it is not set at all, libcurl uses the environment's list.
          ccurl_set_string(
            easy, CCURLOPT_NOPROXY, server.bypassedHosts.joined(separator: ",")),
        ]
      }
    }
  }

  extension CurlTransfer {
    /// Sets the destinations of connections, and returns libcurl's codes.
    private func addressCodes() throws(TransportError) -> [Int32] {
      if let number, let path = configuration.addresses.socketPath {
        return [
          ccurl_set_string(easy, CCURLOPT_UNIX_SOCKET_PATH, path),
          // libcurl does not request a port of the system for such a socket, but it distinguishes
          // its connections by the port. A handle thus gets only connections that were made for it.
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

  /// The result codes of several options that are set in a row.
  struct CurlCodes {
    /// The first nonzero code.
    private(set) var refusal: Int32?

    static func += (codes: inout CurlCodes, code: Int32) {
      if code != 0, codes.refusal == nil { codes.refusal = code }
    }

    static func += (codes: inout CurlCodes, further: [Int32]) {
      for code in further { codes += code }
    }
  }
#endif
