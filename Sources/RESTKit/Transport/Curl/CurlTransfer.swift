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
    var entry: CurlWaitingRoom.Entry?

    let library: CurlLibrary
    let configuration: CurlConfiguration
    let errorText: UnsafeMutablePointer<CChar>
    var lines: OpaquePointer?
    var body = Data()
    private var sentBytes = 0
    var isRepeatable = false
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
      response = CurlResponseReader(configuration.limits)
      errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
      try setConstants()
    }

    deinit {
      library.api.pointee.easy_cleanup(easy)
      library.api.pointee.slist_free_all(lines)
      errorText.deallocate()
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
      if let fault = code == 0 ? response.faultAtEnd : response.fault { return .failure(fault) }
      guard code != 0 else {
        return .success(response.response(version: version, timings: timings))
      }
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
      response = CurlResponseReader(configuration.limits)
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
#endif
