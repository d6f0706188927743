#if os(Linux)
  internal import CCurl
  import Foundation

  /// One easy handle and the call that it serves at the moment.
  ///
  /// Used by the leader only.
  ///
  /// Options that are the same for every call are set once. The others are all set again by
  /// `prepare`, so that nothing of one call reaches the next; libcurl keeps no other state in a
  /// handle whose cookies, caches and redirects are off.
  final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// The call that it serves, if any.
    var job: CurlJob?
    /// Where that call has its place.
    var line: CurlWaitingRoom.Line?

    let library: CurlLibrary
    let configuration: CurlConfiguration
    let errorText: UnsafeMutablePointer<CChar>
    var lines: OpaquePointer?
    /// The fixed addresses of hosts, which libcurl does not copy.
    var addressLines: OpaquePointer?
    /// Where connections go to a unix socket, what tells those of this handle from the others; else nil.
    let number: Int32?
    /// The body that is sent, if any.
    var reader: (any BodyReader)?
    var isRepeatable = false
    /// How long the server may be silent; nil where that is not looked at.
    var idleLimit: Duration?
    /// When the server was last heard of; while the call is paused on our side, nothing is expected.
    private var lastActivity: ContinuousClock.Instant?
    private var sentBytes: Int64 = 0
    private(set) var isReceivingPaused = false
    private var isSendingPaused = false
    private var uploadFault: TransportError?
    private var attempts = 0
    /// The connections of the engine.
    private let connections: CurlConnections
    var route = CurlRoute()
    var tunnel = TunnelWatch()
    var moments = CurlMoments()
    /// The framing of the body that comes in, where it is looked at.
    var chunks: ChunkFraming?
    /// Whether the call still wants its response.
    var patience: CallPatience?
    private var refusal = StreamRefusal()
    private var hasBegunAnew = false
    /// Whether the line behind a status line is looked at before libcurl keeps it.
    var watch = FoldedLineWatch.untried
    private var refusedRepeat = false
    var response: CurlResponseReader

    init(
      _ library: CurlLibrary, _ configuration: CurlConfiguration, _ connections: CurlConnections
    ) throws(TransportError) {
      guard let easy = library.api.pointee.easy_init() else {
        throw .unavailable("curl_easy_init gave nothing")
      }
      self.easy = easy
      self.library = library
      self.configuration = configuration
      self.connections = connections
      number = configuration.addresses.socketPath.map { _ in connections.takeHandle() }
      response = CurlResponseReader(configuration.limits)
      errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
      try setConstants()
    }

    deinit {
      library.api.pointee.easy_cleanup(easy)
      library.api.pointee.slist_free_all(lines)
      library.api.pointee.slist_free_all(addressLines)
      if let number { connections.giveBack(handle: number) }
      errorText.deallocate()
    }

    /// Whether its call goes over TLS.
    var isSecure: Bool { job?.isSecure == true }

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
    func result(_ code: Int32) -> Result<EngineResponse, TransportError> {
      response.tellChunk()
      if let fault = code == 0
        ? response.faultAtEnd ?? faultOfEnd : response.fault ?? uploadFault ?? tunnel.fault
      {
        return .failure(fault)
      }
      guard code != 0 else { return .success(response.response(timings: timings)) }
      return .failure(
        CurlFault(
          code: code,
          text: words(for: code),
          systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CCURLINFO_OS_ERRNO)),
          refusedRepeat: refusedRepeat,
          mayHaveBeenProcessed: mayHaveBeenProcessed && !refusal.isKnown,
          statusCode: response.statusCode
        ).fault)
    }

    /// The fault of a body that ended with its TLS connection, where the server did not say that it ends
    /// (RFC 9112 §9.8).
    private var faultOfEnd: TransportError? {
      guard response.endsWithConnection, let place = route.place,
        connections.hasEndedInSilence(place)
      else { return nil }
      return .afterSending(
        .bodyCut, "TLS ended without a close_notify", status: response.statusCode)
    }

    /// Called with each TLS connection that libcurl makes for the call.
    func watchEnd(of tlsContext: UnsafeMutableRawPointer) {
      moments.noteHandshake()
      ccurl_keep_tls_sessions(tlsContext)
      route.note(end: connections.watchEnd(of: tlsContext))
    }

    /// Whether the handle may serve another call after one that ended with this code.
    func isReusable(after code: Int32) -> Bool {
      code == 0 && (!library.keepsFreedHeaders || watch == .works)
    }

    /// Lets go of all that belongs to the call.
    func clear() {
      _ = ccurl_set_list(easy, CCURLOPT_HTTPHEADER, nil)
      _ = ccurl_set_pointer(easy, CCURLOPT_CURLU, nil)
      job = nil
      line = nil
      library.api.pointee.slist_free_all(lines)
      lines = nil
      reader?.close()
      reader = nil
      idleLimit = nil
      sentBytes = 0
      isReceivingPaused = false
      isSendingPaused = false
      uploadFault = nil
      attempts = 0
      refusedRepeat = false
      refusal = StreamRefusal()
      hasBegunAnew = false
      patience = nil
      route = CurlRoute()
      tunnel = TunnelWatch()
      moments = CurlMoments()
      endChunkWatch()
      response = CurlResponseReader(configuration.limits)
    }

    // MARK: Pauses

    /// The moment at which the server has been silent for too long; nil while none is expected of it.
    var idleDeadline: ContinuousClock.Instant? {
      // The response is held from the moment that who takes it says so, not only from the one at
      // which libcurl comes with more.
      // Behind the head a server goes on, whatever the body's source does. libcurl itself ends a transfer
      // only when both ways have ended.
      let awaitsSource = isSendingPaused && !response.isHeadComplete
      let isPaused = response.isHeld || isReceivingPaused || awaitsSource
      guard !isPaused, let lastActivity, let idleLimit else { return nil }
      return lastActivity + idleLimit
    }

    func noteActivity() {
      if idleLimit != nil { lastActivity = .now }
    }

    /// Lets the response go on; a code of libcurl's that is not 0 if that fails.
    func resumeReceiving() -> Int32 {
      noteActivity()
      guard isReceivingPaused else { return 0 }
      isReceivingPaused = false
      return unpause()
    }

    /// Lets the body go on; a code of libcurl's that is not 0 if that fails.
    func resumeSending() -> Int32 {
      guard isSendingPaused else { return 0 }
      isSendingPaused = false
      return unpause()
    }

    /// Both ways at once: the one that has to wait still says so when it is asked.
    private func unpause() -> Int32 {
      noteActivity()
      return library.api.pointee.easy_pause(easy, Int32(CCURLPAUSE_CONT))
    }

    // MARK: What libcurl calls

    func take(header line: UnsafeRawBufferPointer) -> Bool {
      noteActivity()
      if reader != nil, line.starts(with: "HTTP/".utf8) { moments.noteResponse() }
      if library.keepsFreedHeaders { beginWatch(behind: line) }
      route.note(line, in: connections)
      guard response.take(header: line) else { return false }
      beginChunkWatch(behind: line)
      return true
    }

    /// The number for libcurl: that of the bytes, or what pauses or ends the transfer.
    func take(body bytes: UnsafeRawBufferPointer) -> Int {
      guard !response.isHeld else {
        isReceivingPaused = true
        return Int(CCURL_WRITEFUNC_PAUSE)
      }
      isReceivingPaused = false
      noteActivity()
      guard response.fault == nil, response.take(body: bytes) else {
        return CurlCallbacks.refusal(of: bytes.count)
      }
      return bytes.count
    }

    /// Copies the next part of the body; 0 at its end, or what pauses or ends the transfer.
    func give(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      guard let reader else { return 0 }
      do throws(TransportError) {
        switch try reader.read(into: buffer) {
        case .bytes(let count):
          isSendingPaused = false
          noteActivity()
          sentBytes += Int64(count)
          if sentBytes == reader.length { moments.noteBodyEnd() }
          response.note(sent: sentBytes)
          return count
        case .end:
          if reader.length == nil { moments.noteBodyEnd() }
          return 0
        case .nothingYet:
          isSendingPaused = true
          return Int(CCURL_READFUNC_PAUSE)
        }
      } catch {
        uploadFault = error
        return Int(CCURL_READFUNC_ABORT)
      }
    }

    /// Asked to send the body once more from a place: the one chance to refuse that libcurl gives
    /// before 7.80.
    func rewind(to offset: Int64) -> Bool {
      guard mayRepeat else {
        refusedRepeat = true
        return false
      }
      return rewindBody(to: offset)
    }

    private func rewindBody(to offset: Int64) -> Bool {
      guard sentBytes != offset else { return true }
      guard let reader, reader.rewind(to: offset) else { return false }
      sentBytes = offset
      return true
    }

    /// Asked before a request goes out: at first, and when libcurl would send it again.
    func begin(at place: CurlConnections.Place) -> Bool {
      endTunnelWatch()
      let connects = ccurl_get_long(easy, CCURLINFO_NUM_CONNECTS)
      guard attempts == 0 || mayRepeat else {
        refusedRepeat = true
        return false
      }
      guard route.enter(placeAtSocket ?? place, connects: connects, of: connections) else {
        return false
      }
      attempts += 1
      // A small request on a kept connection that is its own has no need of the clock: libcurl's marks
      // are as good there.
      if attempts > 1 || connects > 0 || reader != nil || route.mayShare { moments.noteRequest() }
      refusal = StreamRefusal()
      return rewindBody(to: 0)
    }

    private var mayRepeat: Bool { isRepeatable || isUnprocessed }

    /// Whether the server said that it did not process the last request.
    private var isUnprocessed: Bool { refusal.isKnown || isStreamRefusedInSilence }

    /// libcurl 7.88 has words for each end of an HTTP/2 connection, and none for a stream on a kept
    /// one that was refused.
    private var isStreamRefusedInSilence: Bool {
      library.isSilentOfRefusedStreams && errorText[0] == 0
        && route.place.map(connections.isShared) == true
    }

    /// Called with libcurl's own words, where they are asked for.
    func note(words: UnsafeRawBufferPointer) {
      refusal.note(String(decoding: words, as: UTF8.self))
    }

    /// Whether the call can go on over a new connection after this end: nothing was sent, or nothing of
    /// it was processed.
    func canBeginAnew(after code: Int32) -> Bool {
      if route.isSpent { return true }
      guard code != 0, refusal.isKnown, response.statusCode == nil, !hasBegunAnew else {
        return false
      }
      hasBegunAnew = true
      return rewindBody(to: 0)
    }
  }
#endif
