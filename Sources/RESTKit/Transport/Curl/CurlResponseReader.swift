#if os(Linux)
  import Foundation

  /// Puts a response together from the lines and bytes that libcurl hands over, within limits.
  struct CurlResponseReader {
    /// Why the response was refused, if it was.
    private(set) var fault: TransportFault?
    /// Whether who takes the pieces wants no more for now.
    var isPaused = false

    private let limits: TransportLimits
    /// Takes the pieces as they come; nil where the whole is collected.
    private let onEvent: EngineEventHandler?
    private var status = 0
    private var version = ""
    private var headers = HTTPHeaders()
    private var trailers = HTTPHeaders()
    private var isHeadComplete = false
    private var headerBytes = 0
    private var headerCount = 0
    private var decoder: ContentDecoder?
    private var meter: BodyMeter
    private var body = Data()
    /// What came since the last piece was told.
    private var chunk = Data()

    /// libcurl hands a body over in 16 KiB; who takes pieces is better served with fewer of them.
    private static let chunkSize = 256 << 10

    init(_ limits: TransportLimits, onEvent: EngineEventHandler? = nil) {
      self.limits = limits
      self.onEvent = onEvent
      meter = BodyMeter(limits, isCollected: onEvent == nil)
    }

    /// The status so far; nil before there is one.
    var statusCode: Int? { status == 0 ? nil : status }

    /// The fault of a response that libcurl takes for whole; nil if it is.
    var faultAtEnd: TransportFault? {
      if let fault { return fault }
      guard isHeadComplete else {
        return withStatus(
          TransportFault(
            kind: .connectionReset, detail: "its head has no end", mayHaveBeenProcessed: true))
      }
      return decoder?.faultAtEnd.map(withStatus)
    }

    func response(timings: ExchangeMetrics) -> EngineResponse {
      EngineResponse(
        status: status, httpVersion: version, headers: headers, trailers: trailers, body: body,
        timings: timings)
    }

    /// Takes one line of a head or of the trailers, with its line break; false if it is too much.
    mutating func take(header line: UnsafeRawBufferPointer) -> Bool {
      headerBytes += line.count
      guard headerBytes <= limits.headerBytes else {
        return refuse(.headerBytes, "more than \(limits.headerBytes) bytes of headers")
      }
      let text = Self.trimmed(line)
      guard let first = text.first else {
        return isHeadComplete || completeHead()
      }
      headerCount += 1
      guard headerCount <= limits.headerCount else {
        return refuse(.headerCount, "more than \(limits.headerCount) header lines")
      }
      if !isHeadComplete, first == UInt8(ascii: "H"), text.starts(with: "HTTP/".utf8) {
        guard let status = Self.status(in: text) else {
          return refuse(
            TransportFault(
              kind: .malformedResponse, detail: "its status is no three digits",
              mayHaveBeenProcessed: true))
        }
        self.status = status
        version = Self.text(text.prefix { $0 != 0x20 })
        headers.removeAll(keepingCapacity: true)
      } else if Self.isBlank(first) {
        extendLast(Self.text(text.drop(while: Self.isBlank)))
      } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
        append(Self.text(text[..<colon]), Self.text(text[(colon + 1)...].drop(while: Self.isBlank)))
      }
      return true
    }

    /// Takes bytes of the body as they came; false if the response is refused.
    mutating func take(body bytes: UnsafeRawBufferPointer) -> Bool {
      do throws(TransportFault) {
        // Not before there is a body: a HEAD's head may name any coding.
        if !meter.hasBegun, headers.contains("Content-Encoding") {
          decoder = try ContentDecoder(headers)
        }
        meter.take(encoded: bytes.count)
        guard let decoder else { return take(decoded: bytes) }
        return try decoder.push(bytes) { take(decoded: $0) }
      } catch {
        return refuse(error)
      }
    }

    /// Tells how much of the body has gone out.
    mutating func note(sent bytes: Int64) {
      tell(.sent(bytes))
    }

    private mutating func take(decoded bytes: UnsafeRawBufferPointer) -> Bool {
      guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
      do throws(TransportFault) {
        try meter.take(decoded: bytes.count, status: statusCode)
      } catch {
        return refuse(error)
      }
      guard onEvent == nil else {
        // Many pieces come alone, and need no more room than they fill.
        if !chunk.isEmpty { chunk.reserveCapacity(Self.chunkSize) }
        chunk.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        if chunk.count >= Self.chunkSize { tellChunk() }
        return true
      }
      if body.isEmpty { reserve(beside: bytes.count) }
      body.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
      return true
    }

    /// Tells what came of the body, if there is anything new.
    mutating func tellChunk() {
      guard !chunk.isEmpty else { return }
      tell(.chunk(chunk))
      chunk = Data()
    }

    private mutating func tell(_ event: EngineEvent) {
      if onEvent?(event) == .pause { isPaused = true }
    }

    /// Ends a head; behind an interim response another one follows (RFC 9110 §15.2).
    private mutating func completeHead() -> Bool {
      isHeadComplete = status >= 200 || status == 101
      guard isHeadComplete else { return true }
      if let fault = ResponseFraming.fault(of: headers) { return refuse(fault) }
      if onEvent != nil {
        tell(.head(EngineHead(status: status, httpVersion: version, headers: headers)))
      }
      return true
    }

    /// Makes room for what was announced, but believes an announcement only so far.
    private mutating func reserve(beside count: Int) {
      guard let announced = headers["Content-Length"].flatMap({ Int($0) }), announced > count else {
        return
      }
      body.reserveCapacity(min(announced, 1 << 20, limits.bodyLimit(status: status).bytes))
    }

    private mutating func append(_ name: String, _ value: String) {
      if isHeadComplete {
        trailers.append(name: name, value: value)
      } else {
        headers.append(name: name, value: value)
      }
    }

    private mutating func extendLast(_ text: String) {
      if isHeadComplete {
        trailers.extendLast(with: text)
      } else {
        headers.extendLast(with: text)
      }
    }

    private mutating func refuse(_ limit: TransportFault.Limit, _ detail: String) -> Bool {
      refuse(
        TransportFault(kind: .limitExceeded(limit), detail: detail, mayHaveBeenProcessed: true))
    }

    /// Ends the response with a fault; false, as `take` says it.
    @discardableResult
    mutating func refuse(_ fault: TransportFault) -> Bool {
      self.fault = withStatus(fault)
      return false
    }

    private func withStatus(_ fault: TransportFault) -> TransportFault {
      TransportFault(
        kind: fault.kind, detail: fault.detail, mayHaveBeenProcessed: true,
        statusCode: statusCode)
    }

    /// The number behind the first blank of a status line (RFC 9112 §4).
    private static func status(in line: UnsafeRawBufferPointer) -> Int? {
      let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }
        .prefix { (0x30...0x39).contains($0) }.prefix(3)
      guard digits.count == 3 else { return nil }
      return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The line without what is blank at its end.
    private static func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      var count = line.count
      while count > 0, case let last = line[count - 1],
        isBlank(last) || last == 0x0A || last == 0x0D
      {
        count -= 1
      }
      return UnsafeRawBufferPointer(rebasing: line[..<count])
    }

    /// UTF-8 if it is that, else ISO 8859-1, as headers were in the past (RFC 9110 §5.5).
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
      let bytes = UnsafeRawBufferPointer(rebasing: bytes)
      // Nearly all are ASCII, and to validate takes three times as long as to look for that.
      if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
#endif
