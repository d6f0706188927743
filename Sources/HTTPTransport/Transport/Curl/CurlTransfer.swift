#if os(Linux)
  internal import CCurl
  import Foundation
  import HTTPWire

  /// An easy handle with the call that it currently serves.
  ///
  /// Only the leader uses it.
  ///
  /// Options that are the same for every call are set once. `prepare` sets all others again, so
  /// that nothing of one call reaches the next. libcurl keeps no other state in a handle whose
  /// cookies, caches and redirects are off.
  final class CurlTransfer {
    let easy: UnsafeMutableRawPointer
    /// The call that it serves, if any.
    var job: CurlJob?
    /// The line in which that call has its place.
    var waitingLine: CurlConnectionQueue.Line?

    let library: CurlLibrary
    let configuration: CurlConfiguration
    let errorText: UnsafeMutablePointer<CChar>
    var headerList: OpaquePointer?
    /// The fixed addresses of hosts, which libcurl does not copy.
    var addressLines: OpaquePointer?
    /// If connections go to a unix socket, the number that distinguishes this handle's connections;
    /// otherwise nil.
    let number: Int32?
    /// The body that is sent, if there is one.
    var reader: (any BodyReader)?
    var isRepeatable = false
    /// The longest silence of the server, or nil if it has no limit.
    var idleLimit: Duration?
    /// The time of the server's last activity.
    ///
    /// While the client pauses the call, no activity is expected.
    private var lastActivity: ContinuousClock.Instant?
    private var sentBytes: Int64 = 0
    private(set) var isReceivingPaused = false
    private var isSendingPaused = false
    private var uploadFault: TransportError?
    private var attempts = 0
    /// The connections of the engine.
    let connections: CurlConnections
    let sessions: CurlTLSSessions?
    var route = CurlRoute()
    var tunnel = TunnelWatch()
    var timestamps = CurlTimestamps()
    /// The framing of the received body, if it is checked.
    var chunks: ChunkFraming?
    /// The time limit of the whole call, if the loop times it instead of libcurl.
    var deadline: ContinuousClock.Instant?
    /// The end of a cancelled call's wait for another call on its connection.
    var lingerEnd: ContinuousClock.Instant?
    /// The call's remaining interest in its response.
    var patience: CallPatience?
    private var refusal = StreamRefusal()
    private var hasBegunAnew = false
    /// The check of the line after a status line, before libcurl keeps it.
    var watch = FoldedLineWatch.untried
    private var refusedRepeat = false
    var response: CurlResponseReader

    init(
      _ library: CurlLibrary, _ configuration: CurlConfiguration, _ connections: CurlConnections
    ) throws(TransportError) {
      guard let easy = library.api.pointee.easy_init() else {
        throw .unavailable("curl_easy_init failed")
      }
      self.easy = easy
      self.library = library
      self.configuration = configuration
      self.connections = connections
      sessions = connections.sessions(library)
      number = configuration.addresses.socketPath.map { _ in connections.takeHandle() }
      response = CurlResponseReader(configuration.limits)
      errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
      errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
      try setConstants()
    }

    deinit {
      library.api.pointee.easy_cleanup(easy)
      library.api.pointee.slist_free_all(headerList)
      library.api.pointee.slist_free_all(addressLines)
      if let number { connections.giveBack(handle: number) }
      errorText.deallocate()
    }

    /// Whether its call uses TLS.
    var isSecure: Bool { job?.isSecure == true }

    // MARK: The end

    /// Whether the server may have received the request.
    var mayHaveBeenProcessed: Bool {
      // libcurl asks before each request, but its byte count does not cover every version of HTTP.
      library.asksBeforeRequests
        ? attempts > 0 : ccurl_get_long(easy, CCURLINFO_REQUEST_SIZE) > 0
    }

    /// Returns the result of the call, after libcurl has finished it.
    func result(_ code: Int32) -> Result<EngineResponse, TransportError> {
      wholeResult(code).beside(known)
    }

    /// The response as far as it is known, if its head has arrived and nothing of it is delivered.
    private var known: EngineResponse? {
      guard response.feed == nil, response.isHeadValid, uploadFault == nil else { return nil }
      return response.response(timings: timings)
    }

    private func wholeResult(_ code: Int32) -> Result<EngineResponse, TransportError> {
      response.tellChunk()
      if let fault = code == 0
        ? response.faultAtEnd ?? faultOfEnd : response.fault ?? uploadFault ?? tunnel.fault
      {
        return .failure(fault)
      }
      guard code != 0 else { return .success(response.response(timings: timings)) }
      if code == Int32(CCURLE_OPERATION_TIMEDOUT.rawValue), let earlyResponse {
        return .success(earlyResponse)
      }
      let isUnanswered = code == Int32(CCURLE_OPERATION_TIMEDOUT.rawValue) && isHandshakeUnanswered
      return .failure(
        CurlFault(
          code: code,
          text: isUnanswered ? TransportError.unansweredHandshake : words(for: code),
          systemError: Int32(truncatingIfNeeded: ccurl_get_long(easy, CCURLINFO_OS_ERRNO)),
          refusedRepeat: refusedRepeat,
          mayHaveBeenProcessed: mayHaveBeenProcessed && !refusal.isKnown,
          statusCode: response.statusCode
        ).fault)
    }

    /// The fault of a body that ended with its TLS connection although the server did not announce
    /// the end (RFC 9112 §9.8).
    private var faultOfEnd: TransportError? {
      guard response.endsWithConnection, let place = route.place,
        connections.hasEndedInSilence(place)
      else { return nil }
      return .afterSending(
        .bodyCut, "TLS ended without a close_notify", status: response.statusCode)
    }

    /// Runs with each TLS connection that libcurl makes for the call.
    func watchEnd(of tlsContext: UnsafeMutableRawPointer) {
      timestamps.noteHandshake()
      ccurl_keep_tls_sessions(tlsContext)
      route.note(end: connections.watchEnd(of: tlsContext))
    }

    /// Returns whether the handle may serve another call after one that ended with this code.
    func isReusable(after code: Int32) -> Bool {
      code == 0 && (!library.keepsFreedHeaders || watch == .works)
    }

    /// Releases everything that belongs to the call.
    func clear() {
      _ = ccurl_set_list(easy, CCURLOPT_HTTPHEADER, nil)
      _ = ccurl_set_pointer(easy, CCURLOPT_CURLU, nil)
      job = nil
      waitingLine = nil
      library.api.pointee.slist_free_all(headerList)
      headerList = nil
      reader?.close()
      reader = nil
      idleLimit = nil
      deadline = nil
      lingerEnd = nil
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
      timestamps = CurlTimestamps()
      endChunkWatch()
      response = CurlResponseReader(configuration.limits)
    }

    // MARK: Pauses

    /// The time at which the server's silence exceeds the limit, or nil while no activity is
    /// expected.
    var idleDeadline: ContinuousClock.Instant? {
      // The response is held as soon as its subscriber says so, not only when libcurl has more
      // data. A silent source of the request's body is silence, too.
      let isPaused = response.isHeld || isReceivingPaused
      guard !isPaused, let lastActivity, let idleLimit else { return nil }
      return lastActivity + idleLimit
    }

    func noteActivity() {
      if idleLimit != nil { lastActivity = .now }
    }

    /// Resumes the response, and returns libcurl's code, which is nonzero if that fails.
    func resumeReceiving() -> Int32 {
      noteActivity()
      guard isReceivingPaused else { return 0 }
      isReceivingPaused = false
      return unpause()
    }

    /// Resumes the body, and returns libcurl's code, which is nonzero if that fails.
    func resumeSending() -> Int32 {
      guard isSendingPaused else { return 0 }
      isSendingPaused = false
      return unpause()
    }

    /// Resumes both directions.
    ///
    /// The one that must still wait pauses again when libcurl calls it.
    private func unpause() -> Int32 {
      noteActivity()
      return library.api.pointee.easy_pause(easy, Int32(CCURLPAUSE_CONT))
    }

    // MARK: What libcurl calls

    func take(header line: UnsafeRawBufferPointer) -> Bool {
      noteActivity()
      if reader != nil, line.starts(with: "HTTP/".utf8) { timestamps.noteResponse() }
      if library.keepsFreedHeaders { beginWatch(behind: line) }
      if route.note(line, in: connections) { waitingLine?.noteConnection(servesMany: true) }
      guard response.take(header: line) else {
        abandon()
        return false
      }
      beginChunkWatch(behind: line)
      return true
    }

    /// Returns the number for libcurl: the byte count, or a value that pauses or ends the transfer.
    func take(body bytes: UnsafeRawBufferPointer) -> Int {
      guard !response.isHeld else {
        isReceivingPaused = true
        return Int(CCURL_WRITEFUNC_PAUSE)
      }
      isReceivingPaused = false
      noteActivity()
      if response.fault == nil, response.take(body: validPart(of: bytes)) {
        refuseMalformedChunks()
      }
      guard response.fault == nil else {
        abandon()
        return CurlCallbacks.refusal(of: bytes.count)
      }
      return bytes.count
    }

    /// Copies the next part of the body.
    ///
    /// Returns 0 at its end, or a value that pauses or ends the transfer.
    func give(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      guard let reader else { return 0 }
      do throws(TransportError) {
        switch try reader.read(into: buffer) {
        case .bytes(let count):
          isSendingPaused = false
          noteActivity()
          sentBytes += Int64(count)
          if sentBytes == reader.length { timestamps.noteBodyEnd() }
          response.note(sent: sentBytes)
          return count
        case .end:
          if reader.length == nil { timestamps.noteBodyEnd() }
          return 0
        case .nothingYet:
          isSendingPaused = true
          return Int(CCURL_READFUNC_PAUSE)
        }
      } catch {
        uploadFault = error
        abandon()
        return Int(CCURL_READFUNC_ABORT)
      }
    }

    /// Handles libcurl's request to send the body again from an offset.
    ///
    /// Before 7.80, this is the only chance to refuse.
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

    /// Decides whether a request may be sent, the first time and when libcurl would repeat it.
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
      // A small request on a kept, unshared connection needs no clock: libcurl's own times are as
      // good there.
      if attempts > 1 || connects > 0 || reader != nil || route.mayShare {
        timestamps.noteRequest()
      }
      noteProtocol(isNew: connects > 0)
      refusal = StreamRefusal()
      return rewindBody(to: 0)
    }

    /// Notes in the origin's line whether the connection serves many calls, as far as it is known.
    private func noteProtocol(isNew: Bool) {
      guard route.mayShare, let place = route.place else { return }
      if isNew, ccurl_has_chosen_http2(easy) != 0 { connections.note(place, isShared: true) }
      waitingLine?.noteConnection(servesMany: connections.isShared(place))
    }

    private var mayRepeat: Bool { isRepeatable || isUnprocessed }

    /// Whether the server reported that it did not process the last request.
    private var isUnprocessed: Bool { refusal.isKnown || isStreamRefusedInSilence }

    /// libcurl 7.88 has a message for each end of an HTTP/2 connection, but none for a refused
    /// stream on a kept connection.
    private var isStreamRefusedInSilence: Bool {
      library.isSilentOfRefusedStreams && errorText[0] == 0
        && route.place.map(connections.isShared) == true
    }

    /// Runs with libcurl's own messages, if they are enabled.
    func note(words: UnsafeRawBufferPointer) {
      refusal.note(String(decoding: words, as: UTF8.self))
    }

    /// Returns whether the call can continue over a new connection after this end: nothing was
    /// sent, or nothing was processed.
    func canBeginAnew(after code: Int32) -> Bool {
      if route.isSpent { return true }
      guard code != 0, refusal.isKnown, response.statusCode == nil, !hasBegunAnew else {
        return false
      }
      hasBegunAnew = true
      return rewindBody(to: 0)
    }
  }

  /// libcurl ends a transfer only when both directions have ended.
  ///
  /// A server may answer before it has read the whole body, and may then read no more (RFC 9112
  /// §9.5). Or the source of the body may give no more. The time limit ends such a transfer, but
  /// its response is complete.
  extension CurlTransfer {
    /// The response to a body that was not sent to its end, if the response is complete; otherwise
    /// nil.
    private var earlyResponse: EngineResponse? {
      guard reader != nil, !isReceivingPaused, !response.isHeld,
        response.hasAnnouncedBytes || chunks?.isWhole == true, response.faultAtEnd == nil
      else { return nil }
      return response.response(timings: timings)
    }

    /// Returns the result of a call whose server was silent for too long, or took too long.
    func resultAtLimit() -> Result<EngineResponse, TransportError> {
      response.tellChunk()
      if let earlyResponse { return .success(earlyResponse) }
      let awaitsSource = isSendingPaused && !response.isHeadComplete
      let detail =
        if isHandshakeUnanswered {
          TransportError.unansweredHandshake
        } else if deadline != nil {
          "the response was not complete within the time limit"
        } else {
          "\(awaitsSource ? "the request's body" : "the server") was silent for too long"
        }
      return .failure(
        TransportError(
          kind: .timedOut, detail: detail,
          mayHaveBeenProcessed: mayHaveBeenProcessed, statusCode: response.statusCode)
      ).beside(known)
    }
  }
#endif
