#if os(Linux)
  import Foundation
  import HTTPWire

  /// A reader that composes a response from the lines and bytes of libcurl, within limits.
  ///
  /// It cannot be copied: a transfer asks it many times, and each copy would count the references
  /// of all its parts.
  struct CurlResponseReader: ~Copyable {
    /// The reason for refusing the response, if it was refused.
    private(set) var fault: TransportError?
    private let limits: TransportLimits
    /// The way to the call's buffer, or nil if the whole response is collected.
    let feed: CurlFeed?
    /// Whether the response consists of a head only, because of the request's method.
    private let isOfHead: Bool
    /// The call's remaining interest in the response.
    private let patience: CallPatience?
    private var head = EngineHead(status: 0, httpVersion: "", headers: HTTPHeaders())
    private var trailers = HTTPHeaders()
    private var hasStatusLine = false
    /// Whether the head of the final response has arrived.
    private(set) var isHeadComplete = false
    /// Whether that head was also found to be valid.
    private(set) var isHeadValid = false
    private var lines: HeadMeter
    private var intake: BodyIntake
    private var body = Data()
    /// The bytes since the last delivered piece.
    private var chunk = Data()

    /// The size of pieces, in bytes.
    ///
    /// Without it, pieces have 16 KiB, as libcurl delivers them, and subscribers work better with
    /// fewer pieces.
    private static let chunkSize = 256 << 10

    init(
      _ limits: TransportLimits, feed: CurlFeed? = nil, isOfHead: Bool = false,
      choosesCodings: Bool = false, patience: CallPatience? = nil
    ) {
      self.limits = limits
      self.feed = feed
      self.isOfHead = isOfHead
      self.patience = patience
      lines = HeadMeter(limits)
      intake = BodyIntake(
        limits, isCollected: feed == nil, choosesCodings: choosesCodings)
    }

    /// Whether the subscriber wants no more pieces at present.
    var isHeld: Bool { feed?.isHeld == true }

    /// The status so far, or nil before there is one.
    var statusCode: Int? { head.status == 0 ? nil : head.status }

    /// The fault of a response that libcurl considers complete, or nil if it is valid.
    var faultAtEnd: TransportError? {
      if let fault { return fault }
      guard isHeadComplete else {
        return .afterSending(.connectionReset, "its head is incomplete", status: statusCode)
      }
      return (intake.faultAtEnd ?? faultOfNothing)?.behind(status: statusCode)
    }

    /// Whether the head and the announced number of bytes have arrived, or the head of a response
    /// without a body (RFC 9112 §8).
    ///
    /// It is false for a body with another end.
    var hasAnnouncedBytes: Bool {
      guard isHeadComplete else { return false }
      guard HTTPStatus.allowsBody(head.status, to: isOfHead ? "HEAD" : nil) else { return true }
      guard !head.headers.contains("Transfer-Encoding"), let length = head.headers["Content-Length"]
      else { return false }
      return Int64(length) == intake.encodedBytes
    }

    /// The number of bytes of the body that were taken, before decoding.
    var takenBytes: Int64 { intake.encodedBytes }

    /// Whether the body is chunked over HTTP/1.1.
    var isChunked: Bool { isOverHTTP1 && head.headers.contains("Transfer-Encoding") }

    private var isOverHTTP1: Bool { head.httpVersion.utf8.starts(with: "HTTP/1".utf8) }

    /// Whether only the end of the connection ends the body.
    var endsWithConnection: Bool {
      isHeadComplete && isOverHTTP1
        && HTTPStatus.allowsBody(head.status, to: isOfHead ? "HEAD" : nil)
        && !head.headers.contains("Content-Length") && !head.headers.contains("Transfer-Encoding")
    }

    /// The fault of a compressed body without any byte and without a length, which looks the same
    /// as a body that was cut at its beginning.
    private var faultOfNothing: TransportError? {
      guard !intake.hasBegun, endsWithConnection, intake.undoesCodings(of: head.headers) else {
        return nil
      }
      return .afterSending(.bodyCut, "its compressed data are missing")
    }

    func response(timings: ExchangeMetrics) -> EngineResponse {
      EngineResponse(head: head, trailers: trailers, body: body, timings: timings)
    }

    /// Takes one line of a head or of the trailers, with its line break.
    ///
    /// Returns false if the response is refused.
    mutating func take(header line: UnsafeRawBufferPointer) -> Bool {
      if let limit = lines.take(bytes: line.count) { return refuse(limit) }
      let content = HeadLine(line, isFirst: !hasStatusLine)
      if content == .end { return isHeadComplete || completeHead() }
      if let limit = lines.take(lines: 1) { return refuse(limit) }
      switch content {
      case .status(let status, let version):
        hasStatusLine = true
        head.status = status
        head.httpVersion = version
        head.headers.removeAll(keepingCapacity: true)
      case .field(let name, let value):
        append(name, value)
      case .fold(let text):
        return extendLast(text)
      case .malformed(let reason):
        return refuse(ResponseFraming.malformed(reason))
      case .end:
        break
      }
      return true
    }

    /// Takes received bytes of the body.
    ///
    /// Returns false if the response is refused.
    mutating func take(body bytes: UnsafeRawBufferPointer) -> Bool {
      do throws(TransportError) {
        guard
          let decoder = try intake.take(bytes.count, behind: head.headers, status: statusCode)
        else {
          keep(bytes)
          return true
        }
        let patience = patience
        try decoder.push(
          bytes, while: { () throws(TransportError) in try patience?.check() }
        ) { (piece) throws(TransportError) in
          try intake.take(decoded: piece.count, status: statusCode)
          keep(piece)
        }
        return true
      } catch {
        return refuse(error)
      }
    }

    /// Notes how much of the request's body was sent.
    func note(sent bytes: Int64) {
      feed?.append(.sent(bytes))
    }

    /// Keeps decoded bytes for delivery or collection.
    private mutating func keep(_ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
      guard feed == nil else {
        // Many pieces come alone, and need no more room than they fill.
        if !chunk.isEmpty { chunk.reserveCapacity(Self.chunkSize) }
        chunk.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        if chunk.count >= Self.chunkSize { tellChunk() }
        return
      }
      if body.isEmpty { reserve(beside: bytes.count) }
      body.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    /// Delivers the new bytes of the body, if there are any.
    mutating func tellChunk() {
      guard !chunk.isEmpty else { return }
      feed?.append(.chunk(chunk))
      chunk = Data()
    }

    /// Ends a head.
    ///
    /// After an interim response, another head follows (RFC 9110 §15.2).
    private mutating func completeHead() -> Bool {
      guard head.status >= 200 else {
        if let fault = ResponseFraming.faultOfInterim(status: head.status, head.headers) {
          return refuse(fault)
        }
        hasStatusLine = false
        return true
      }
      isHeadComplete = true
      if let fault = ResponseFraming.fault(of: head.headers) { return refuse(fault) }
      // HTTP/1.0 has no chunks, but libcurl decodes them nevertheless (RFC 9112 §6.1).
      guard head.httpVersion == "HTTP/1.1" || !head.headers.contains("Transfer-Encoding") else {
        return refuse(ResponseFraming.malformed("\(head.httpVersion) has no Transfer-Encoding"))
      }
      isHeadValid = true
      feed?.append(.head(head))
      return true
    }

    /// Reserves room for the announced length, up to a bound.
    private mutating func reserve(beside count: Int) {
      guard let announced = head.headers["Content-Length"].flatMap({ Int64($0) }),
        announced > Int64(count)
      else { return }
      let room = min(announced, 1 << 20, Int64(limits.bodyLimit(status: head.status).bytes))
      body.reserveCapacity(Int(clamping: room))
    }

    private mutating func append(_ name: String, _ value: String) {
      if isHeadComplete {
        trailers.append(name: name, value: value)
      } else {
        head.headers.append(name: name, value: value)
      }
    }

    /// Continues the previous field.
    ///
    /// This libcurl does not join folded lines, so its value of a framing field would differ from
    /// the complete one (RFC 9112 §5.2).
    private mutating func extendLast(_ text: String) -> Bool {
      guard let name = (isHeadComplete ? trailers : head.headers).last?.name else {
        return refuse(ResponseFraming.malformed("the first line of its head or trailers is folded"))
      }
      for framing in ["Transfer-Encoding", "Content-Length"]
      where HTTPHeaders.isSameName(name, framing) {
        return refuse(ResponseFraming.malformed("its \(framing) is folded"))
      }
      if isHeadComplete {
        trailers.extendLast(with: text)
      } else {
        head.headers.extendLast(with: text)
      }
      return true
    }

    private mutating func refuse(_ limit: TransportError.Limit) -> Bool {
      refuse(lines.fault(limit, status: nil))
    }

    /// Ends the response with a fault, and returns false as `take` does.
    @discardableResult
    mutating func refuse(_ fault: TransportError) -> Bool {
      self.fault = fault.behind(status: statusCode)
      return false
    }
  }

  /// A check of whether a call still wants its response, for work of the leader that libcurl does
  /// not time.
  struct CallPatience: Sendable {
    let call: EngineCall
    /// The time limit of the call, or nil for no limit.
    let deadline: ContinuousClock.Instant?

    /// - Throws: `.timedOut` if the call's time limit has passed. The fault is the same for a
    ///   cancelled call, which never receives it.
    func check() throws(TransportError) {
      guard call.isPending, deadline.map({ .now < $0 }) ?? true else {
        throw .afterSending(.timedOut, "while the response was read")
      }
    }
  }
#endif
