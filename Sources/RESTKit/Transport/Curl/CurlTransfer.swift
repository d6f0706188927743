#if os(Linux)
  internal import CCurl
  import Foundation

  /// One easy handle and the call that it serves at the moment.
  ///
  /// Used on the I/O thread only.
  ///
  /// Options that are the same for every call are set once. The others are all set again by
  /// `prepare`, so that nothing of one call reaches the next; libcurl keeps no other state in a
  /// handle whose cookies, caches and redirects are off.
  final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// The call that it serves, if any.
    private(set) var entry: CurlWaitingRoom.Entry?

    private let library: CurlLibrary
    private let configuration: CurlConfiguration
    private let errorText: UnsafeMutablePointer<CChar>
    private var lines: OpaquePointer?
    private var body = Data()
    private var sentBytes = 0
    private var isRepeatable = false
    private var attempts = 0
    private var refusedRepeat = false
    private var response: CurlResponseReader

    init(_ library: CurlLibrary, _ configuration: CurlConfiguration) throws(TransportFault) {
      guard let easy = library.api.pointee.easy_init() else {
        throw TransportFault(
          kind: .engineUnavailable, detail: "curl_easy_init gave nothing",
          mayHaveBeenProcessed: false)
      }
      self.easy = easy
      self.library = library
      self.configuration = configuration
      response = CurlResponseReader(configuration)
      errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
      try setConstants()
    }

    deinit {
      library.api.pointee.easy_cleanup(easy)
      library.api.pointee.slist_free_all(lines)
      errorText.deallocate()
    }

    // MARK: The options

    private func setConstants() throws(TransportFault) {
      let context = Unmanaged.passUnretained(self).toOpaque()
      var codes = [
        ccurl_set_pointer(easy, CCURLOPT_PRIVATE, context),
        ccurl_set_pointer(easy, CCURLOPT_ERRORBUFFER, errorText),
        ccurl_set_long(easy, CCURLOPT_NOSIGNAL, 1),
        ccurl_set_long(easy, CCURLOPT_FOLLOWLOCATION, 0),
        ccurl_set_long(easy, CCURLOPT_NETRC, 0),
        ccurl_set_long(easy, CCURLOPT_HTTP09_ALLOWED, 0),
        ccurl_set_long(easy, CCURLOPT_PATH_AS_IS, 1),
        ccurl_set_long(easy, CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
        ccurl_set_long(easy, CCURLOPT_DISALLOW_USERNAME_IN_URL, 1),
        ccurl_set_string(easy, CCURLOPT_ACCEPT_ENCODING, ""),
        ccurl_set_string(easy, CCURLOPT_USERAGENT, configuration.userAgent),
        ccurl_set_data_callback(easy, CCURLOPT_WRITEFUNCTION, CurlCallbacks.write),
        ccurl_set_pointer(easy, CCURLOPT_WRITEDATA, context),
        ccurl_set_data_callback(easy, CCURLOPT_HEADERFUNCTION, CurlCallbacks.header),
        ccurl_set_pointer(easy, CCURLOPT_HEADERDATA, context),
        ccurl_set_data_callback(easy, CCURLOPT_READFUNCTION, CurlCallbacks.read),
        ccurl_set_pointer(easy, CCURLOPT_READDATA, context),
        ccurl_set_seek_callback(easy, CurlCallbacks.seek),
        ccurl_set_pointer(easy, CCURLOPT_SEEKDATA, context),
      ]
      if library.namesProtocols {
        codes.append(ccurl_set_string(easy, CCURLOPT_PROTOCOLS_STR, "http,https"))
        codes.append(ccurl_set_string(easy, CCURLOPT_REDIR_PROTOCOLS_STR, "http,https"))
      } else {
        codes.append(ccurl_set_long(easy, CCURLOPT_PROTOCOLS, CCURLPROTO_HTTP_AND_HTTPS))
        codes.append(ccurl_set_long(easy, CCURLOPT_REDIR_PROTOCOLS, CCURLPROTO_HTTP_AND_HTTPS))
      }
      if library.asksBeforeRequests {
        codes.append(ccurl_set_prereq_callback(easy, CurlCallbacks.prereq))
        codes.append(ccurl_set_pointer(easy, CCURLOPT_PREREQDATA, context))
      }
      if configuration.proxyUse == .never {
        codes.append(ccurl_set_string(easy, CCURLOPT_PROXY, ""))
      }
      if let file = configuration.certificateAuthorityFile {
        codes.append(ccurl_set_string(easy, CCURLOPT_CAINFO, file))
      }
      try check(codes, .engineUnavailable)
    }

    /// Sets the handle up for a call.
    func prepare(_ entry: CurlWaitingRoom.Entry) throws(TransportFault) {
      do throws(TransportFault) {
        try set(entry.request, waited: .now - entry.begin)
      } catch {
        clear()
        throw error
      }
      self.entry = entry
    }

    private func set(_ request: EngineRequest, waited: Duration) throws(TransportFault) {
      var time = 0
      if let timeout = request.timeout {
        guard timeout > waited else {
          throw TransportFault(
            kind: .timedOut, detail: "over before it was begun", mayHaveBeenProcessed: false)
        }
        time = Self.milliseconds(timeout - waited)
      }
      body = request.body ?? Data()
      isRepeatable = request.isRepeatable
      errorText[0] = 0
      let isSecure = request.url.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
      let multiplexes = isSecure && configuration.allowsHTTP2 && library.speaksHTTP2
      // Without the question before each request, only a fresh connection is safe for a request
      // that must not run twice and has no body whose rewinding could be refused.
      let needsFresh = !library.asksBeforeRequests && !isRepeatable && body.isEmpty
      try check(
        [
          ccurl_set_string(easy, CCURLOPT_URL, request.url),
          ccurl_set_long(easy, CCURLOPT_TIMEOUT_MS, time),
          ccurl_set_long(
            easy, CCURLOPT_CONNECTTIMEOUT_MS,
            Self.milliseconds(request.connectTimeout ?? configuration.connectTimeout)),
          ccurl_set_long(
            easy, CCURLOPT_HTTP_VERSION,
            multiplexes ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1),
          ccurl_set_long(easy, CCURLOPT_PIPEWAIT, multiplexes ? 1 : 0),
          ccurl_set_long(easy, CCURLOPT_FRESH_CONNECT, needsFresh ? 1 : 0),
        ], .unsupportedURL)
      try set(method: request.method)
      try set(headers: request.headers)
    }

    private func set(method: String) throws(TransportFault) {
      // HTTPGET undoes what a call before chose; then at most one of the others is set.
      var codes = [ccurl_set_long(easy, CCURLOPT_HTTPGET, 1)]
      let announcesLength = !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method)
      if method == "HEAD" {
        codes.append(ccurl_set_long(easy, CCURLOPT_NOBODY, 1))
      } else if announcesLength {
        codes.append(ccurl_set_long(easy, CCURLOPT_UPLOAD, 1))
        codes.append(ccurl_set_offset(easy, CCURLOPT_INFILESIZE_LARGE, Int64(body.count)))
      }
      let isImplied = method == "HEAD" || (method == "GET" && !announcesLength)
      codes.append(ccurl_set_string(easy, CCURLOPT_CUSTOMREQUEST, isImplied ? nil : method))
      try check(codes, .invalidRequest)
    }

    private func set(headers: HTTPHeaders) throws(TransportFault) {
      var list: OpaquePointer?
      var isComplete = true
      func add(_ line: String) {
        let longer = library.api.pointee.slist_append(list, line)
        if longer == nil { isComplete = false } else { list = longer }
      }
      for (name, value) in headers {
        let value = value.trimmingBlanks
        // libcurl's spelling for a header without a value; "Name:" would remove it.
        add(value.isEmpty ? "\(name);" : "\(name): \(value)")
      }
      // Else libcurl waits up to a second for a 100 before it sends a large body.
      if !headers.contains("Expect") { add("Expect:") }
      lines = list
      guard isComplete else {
        throw TransportFault(
          kind: .engineUnavailable, detail: library.text(for: Int32(CCURLE_OUT_OF_MEMORY.rawValue)),
          mayHaveBeenProcessed: false)
      }
      try check([ccurl_set_list(easy, CCURLOPT_HTTPHEADER, list)], .invalidRequest)
    }

    private func check(_ codes: [Int32], _ kind: TransportFault.Kind) throws(TransportFault) {
      guard let code = codes.first(where: { $0 != 0 }) else { return }
      throw TransportFault(
        kind: kind, detail: "libcurl refused an option: \(library.text(for: code))",
        mayHaveBeenProcessed: false)
    }

    /// libcurl takes 0 for "no limit" and at most a C int, which is 24 days.
    static func milliseconds(_ duration: Duration) -> Int {
      let (seconds, attoseconds) = duration.components
      guard seconds < 2_000_000 else { return 2_000_000_000 }
      guard seconds >= 0 else { return 1 }
      let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
      return max(1, Int(seconds) * 1_000 + Int(part))
    }

    // MARK: The end

    /// Whether the response came over HTTP/2 or later.
    var isMultiplexed: Bool { ccurl_get_long(easy, CCURLINFO_HTTP_VERSION) >= 3 }

    /// Whether the server may have seen the request.
    var mayHaveBeenProcessed: Bool {
      // Unlike the bytes that libcurl counts, the question is asked for every version of HTTP.
      library.asksBeforeRequests
        ? attempts > 0 : ccurl_get_long(easy, CCURLINFO_REQUEST_SIZE) > 0
    }

    /// The result of the call, once libcurl is done with it.
    func result(_ code: Int32) -> Result<EngineResponse, TransportFault> {
      guard code != 0 else {
        return .success(response.response(version: version, timings: timings))
      }
      if let fault = response.fault { return .failure(fault) }
      return .failure(
        CurlFault(
          code: code,
          text: errorText[0] == 0 ? library.text(for: code) : String(cString: errorText),
          systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CCURLINFO_OS_ERRNO)),
          refusedRepeat: refusedRepeat, mayHaveBeenProcessed: mayHaveBeenProcessed
        ).fault)
    }

    /// Lets go of all that belongs to the call.
    func clear() {
      entry = nil
      _ = ccurl_set_list(easy, CCURLOPT_HTTPHEADER, nil)
      library.api.pointee.slist_free_all(lines)
      lines = nil
      body = Data()
      sentBytes = 0
      attempts = 0
      refusedRepeat = false
      response = CurlResponseReader(configuration)
    }

    private var version: String {
      switch ccurl_get_long(easy, CCURLINFO_HTTP_VERSION) {
      case 1: "HTTP/1.0"
      case 2: "HTTP/1.1"
      case 3: "HTTP/2"
      case 30: "HTTP/3"
      default: ""
      }
    }

    private var timings: EngineTimings {
      EngineTimings(
        nameLookup: .microseconds(ccurl_get_offset(easy, CCURLINFO_NAMELOOKUP_TIME_T)),
        connect: .microseconds(ccurl_get_offset(easy, CCURLINFO_CONNECT_TIME_T)),
        secureConnect: .microseconds(ccurl_get_offset(easy, CCURLINFO_APPCONNECT_TIME_T)),
        firstByte: .microseconds(ccurl_get_offset(easy, CCURLINFO_STARTTRANSFER_TIME_T)),
        total: .microseconds(ccurl_get_offset(easy, CCURLINFO_TOTAL_TIME_T)),
        isConnectionReused: ccurl_get_long(easy, CCURLINFO_NUM_CONNECTS) == 0)
    }

    // MARK: What libcurl calls

    func take(header line: UnsafeRawBufferPointer) -> Bool {
      response.take(header: line)
    }

    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
      response.take(body: bytes)
    }

    /// Copies the next part of the body; 0 at its end.
    func give(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = min(buffer.count, body.count - sentBytes)
      guard count > 0 else { return 0 }
      let start = body.startIndex + sentBytes
      body.copyBytes(to: buffer, from: start..<(start + count))
      sentBytes += count
      return count
    }

    /// Asked to send the body once more from a place: the one chance to refuse that libcurl gives
    /// before 7.80.
    func rewind(to offset: Int64) -> Bool {
      guard isRepeatable, let place = Int(exactly: offset), (0...body.count).contains(place) else {
        refusedRepeat = !isRepeatable
        return false
      }
      sentBytes = place
      return true
    }

    /// Asked before a request goes out: at first, and when libcurl would send it again.
    func begin() -> Bool {
      attempts += 1
      guard attempts == 1 || isRepeatable else {
        refusedRepeat = true
        return false
      }
      sentBytes = 0
      return true
    }
  }

  extension String {
    fileprivate var trimmingBlanks: Substring {
      func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
      guard let start = firstIndex(where: { !isBlank($0) }),
        let end = lastIndex(where: { !isBlank($0) })
      else { return "" }
      return self[start...end]
    }
  }
#endif
