#if os(Linux)
  internal import CCurl
  import Foundation

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
    ///   - pieces: Takes the response as it comes; nil to have it collected.
    ///   - outbox: Where the body asks for what is a user's.
    ///   - onBody: Called on any thread when there is more of a body that had to wait.
    func prepare(
      _ job: CurlJob, in line: CurlWaitingRoom.Line, _ pieces: CurlPieces?, _ outbox: CurlOutbox,
      onBody: @escaping @Sendable () -> Void
    ) throws(TransportError) {
      do throws(TransportError) {
        reader = try Self.reader(for: job.request, outbox, onBody: onBody)
        try set(job)
        let patience = CallPatience(
          call: job.call, deadline: job.request.timeout.map { job.begin + $0 })
        self.patience = patience
        response = CurlResponseReader(
          configuration.limits, pieces: pieces,
          isOfHead: job.request.method == "HEAD", patience: patience)
        idleLimit = job.request.idleTimeout
        noteActivity()
      } catch {
        clear()
        throw error
      }
      self.job = job
      self.line = line
    }

    /// Larger bodies go over HTTP/1.1.
    ///
    /// When a server answers before it has read the body, many releases of libcurl (7.88 among
    /// them) wait for ever, some with a busy loop, for the flow control of HTTP/2 to let them send
    /// the rest: curl issues 986, 10433 and 15316. This much can be sent without asking (RFC 9113
    /// §6.9.2). Where a server allows less, the call's time-out is what ends it.
    private static let maxMultiplexedBody = 65_535

    /// Bytes to read at a time: libcurl's own choice, and one for bodies that may be of any size.
    private static let usualBuffer = 16 << 10
    private static let largeBuffer = 256 << 10

    private func set(_ job: CurlJob) throws(TransportError) {
      let request = job.request
      let now = ContinuousClock.now
      moments = CurlMoments(start: now)
      let time = try timeLeft(of: job, at: now)
      isRepeatable = request.isRepeatable
      errorText[0] = 0
      let multiplexes =
        job.isSecure && library.speaksHTTP2 && number == nil
        && (reader == nil || reader?.length.map { $0 <= Self.maxMultiplexedBody } == true)
      // Without the question before each request, only a fresh connection is safe for a request
      // that must not run twice and has no body whose rewinding could be refused.
      let needsFresh = !library.asksBeforeRequests && !isRepeatable && reader == nil
      route.mayShare = multiplexes
      let mayTunnel = job.isSecure && configuration.security.proxy != .none
      if mayTunnel { tunnel.begin() }
      var codes = CurlCodes()
      codes += request.url.withCString { ccurl_set_string(easy, CCURLOPT_URL, $0) }
      // Of the two the parsed one counts; with the text at hand, libcurl does not put it together again.
      codes += ccurl_set_pointer(easy, CCURLOPT_CURLU, job.url?.handle)
      codes += ccurl_set_long(easy, CCURLOPT_TIMEOUT_MS, time)
      codes += ccurl_set_long(
        easy, CCURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(configuration.connectTimeout))
      codes += ccurl_set_long(
        easy, CCURLOPT_HTTP_VERSION, multiplexes ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1)
      codes += ccurl_set_long(easy, CCURLOPT_PIPEWAIT, multiplexes ? 1 : 0)
      codes += ccurl_set_long(easy, CCURLOPT_FRESH_CONNECT, needsFresh ? 1 : 0)
      codes += ccurl_set_long(easy, CCURLOPT_NOPROGRESS, mayTunnel ? 0 : 1)
      // libcurl's words tell when a stream was refused, and so the request may be sent again.
      codes += ccurl_set_long(easy, CCURLOPT_VERBOSE, multiplexes && !isRepeatable ? 1 : 0)
      // Refused where a handle still has the buffer of its call before, as after one that shared its
      // connection (multi_done of libcurl 7.88): any size will do then.
      _ = ccurl_set_long(
        easy, CCURLOPT_BUFFERSIZE, request.onEvent == nil ? Self.usualBuffer : Self.largeBuffer)
      try check(codes, .unsupportedURL)
      try set(method: request.method)
      try set(headers: request.headers)
    }

    /// Sets the handle up to go on over a new connection.
    func beginAnew() throws(TransportError) {
      guard let job else { return }
      route.leave()
      let now = ContinuousClock.now
      moments = CurlMoments(start: now)
      var codes = CurlCodes()
      codes += ccurl_set_long(easy, CCURLOPT_TIMEOUT_MS, try timeLeft(of: job, at: now))
      codes += ccurl_set_long(easy, CCURLOPT_FRESH_CONNECT, 1)
      try check(codes, .engineUnavailable)
    }

    /// Milliseconds for libcurl; 0 for no limit.
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

    /// What reads the body of a request; nil where that has none.
    private static func reader(
      for request: EngineRequest, _ outbox: CurlOutbox, onBody: @escaping @Sendable () -> Void
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
        return ChunkBodyReader(publisher, length: length, outbox, onReady: onBody)
      }
    }

    private func set(method: String) throws(TransportError) {
      var codes = CurlCodes()
      // HTTPGET undoes what a call before chose; then at most one of the others is set.
      codes += ccurl_set_long(easy, CCURLOPT_HTTPGET, 1)
      let hasBody = reader != nil || method == "POST" || method == "PUT" || method == "PATCH"
      if method == "HEAD" {
        codes += ccurl_set_long(easy, CCURLOPT_NOBODY, 1)
      } else if hasBody {
        codes += ccurl_set_long(easy, CCURLOPT_UPLOAD, 1)
        // A length of -1 is one that is not known: the body goes in chunks.
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
        // libcurl's spelling for a header without a value; "Name:" would remove it.
        try add(value.isEmpty ? "\(name);" : "\(name): \(value)")
      }
      if !headers.contains("Accept-Encoding") { try add(Self.acceptEncoding) }
      // Else libcurl waits up to a second for a 100 before it sends a large body.
      if reader != nil, !headers.contains("Expect") { try add("Expect:") }
      var codes = CurlCodes()
      codes += ccurl_set_list(easy, CCURLOPT_HTTPHEADER, lines)
      try check(codes, .invalidRequest)
    }

    private static let acceptEncoding = "Accept-Encoding: \(ContentDecoder.acceptedCodings)"

    private func add(_ line: String) throws(TransportError) {
      guard let longer = line.withCString({ library.api.pointee.slist_append(lines, $0) }) else {
        throw .unavailable(library.text(for: Int32(CCURLE_OUT_OF_MEMORY.rawValue)))
      }
      lines = longer
    }

    private func check(_ codes: CurlCodes, _ kind: TransportError.Kind) throws(TransportError) {
      guard let refusal = codes.refusal else { return }
      throw .beforeSending(kind, "libcurl refused an option: \(library.text(for: refusal))")
    }

    /// libcurl takes 0 for "no limit" and at most a C int, which is 24 days.
    static func milliseconds(_ duration: Duration) -> Int {
      Int(min(max(duration, .milliseconds(1)), .seconds(2_000_000)).wholeMilliseconds)
    }
  }
#endif
