import Foundation
import RESTKit

/// A connection, served on its own thread from the first request to the end.
struct MockConnection {
  /// An error that leaves the serving loop.
  private struct Hangup: Error {
    let side: MockConnectionEnd
    var isReset = false
  }

  let id: Int
  let socket: MockSocket
  let core: MockServerCore

  private var parser = MockRequestParser()
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  init(id: Int, socket: MockSocket, core: MockServerCore) {
    self.id = id
    self.socket = socket
    self.core = core
  }

  /// Serves requests until one side ends the connection, closes it, and returns the side.
  mutating func run() -> MockConnectionEnd {
    defer { socket.end() }
    do throws(Hangup) {
      try serve()
    } catch {
      return error.side
    }
  }

  private mutating func serve() throws(Hangup) -> Never {
    /// Whether the request that is being read has its response.
    var isAnswered = false
    while true {
      switch parser.next() {
      case .incomplete:
        try readMore()
      case .head(let message):
        if let response = core.earlyResponse(to: message, connectionID: id) {
          isAnswered = true
          try deliverEarly(response, to: message)
        }
      case .awaitsContinue where isAnswered:
        break
      case .awaitsContinue:
        try send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
      case .request(let message) where isAnswered:
        isAnswered = false
        _ = core.journal.received(message, connectionID: id)
      case .request(let message):
        let request = core.journal.received(message, connectionID: id)
        try deliver(core.response(to: request), to: message)
      case .malformed where isAnswered:
        letClientRead()
        throw Hangup(side: .server)
      case .malformed(let fault):
        try refuse(fault)
      }
    }
  }

  /// Answers a request before its end, and lets the client read the response before a close.
  private mutating func deliverEarly(
    _ scripted: MockResponse, to message: MockRequestParser.Message
  ) throws(Hangup) {
    do throws(Hangup) {
      try deliver(scripted, to: message)
    } catch {
      if error.side == .server, !error.isReset { letClientRead() }
      throw error
    }
  }

  private mutating func deliver(
    _ scripted: MockResponse, to message: MockRequestParser.Message
  ) throws(Hangup) {
    var response = scripted
    if let fault = scripted.fault {
      response = .text("MockServer cannot write this response: \(fault)", status: 500)
    }
    if let gate = response.gate { try wait(for: gate) }

    // Only the end of the connection ends a body of unknown length for HTTP/1.0 (RFC 9112 §6.1).
    let isUnframed = message.isHTTP10 && response.isChunked
    if isUnframed { response.removeField("Transfer-Encoding") }
    let staysOpen = message.keepsAlive && !response.closes && !isUnframed
    let sendsBody = HTTPStatus.allowsBody(response.status, to: message.method)
    let persistence = staysOpen ? (message.isHTTP10 ? "keep-alive" : nil) : "close"
    let body = sendsBody ? response.body : Data()

    func head(_ framing: (String, String)?) -> [UInt8] {
      response.head(framing: framing, persistence: persistence)
    }
    func sizedHead() -> [UInt8] {
      // To HEAD, a length of zero would say that a GET has no body.
      let isKnown = sendsBody || !response.body.isEmpty
      return head(isKnown ? ("Content-Length", String(response.body.count)) : nil)
    }
    func chunkedHead() -> [UInt8] {
      head(isUnframed ? nil : ("Transfer-Encoding", "chunked"))
    }
    func chunked(_ chunks: [Data], isWhole: Bool) -> [UInt8] {
      guard sendsBody else { return chunkedHead() }
      return chunkedHead()
        + (isUnframed
          ? Array(chunks.joined()) : MockResponse.chunkedBody(chunks, isWhole: isWhole))
    }

    switch response.delivery {
    case .whole:
      try send(sizedHead() + body)
    case .cut(let count):
      try send(sizedHead() + body.prefix(max(0, count)))
      throw Hangup(side: .server)
    case .paused(let count, let gate):
      try send(sizedHead() + body.prefix(max(0, count)))
      try wait(for: gate)
      try send(Array(body.dropFirst(max(0, count))))
    case .chunked(let chunks):
      try send(chunked(chunks, isWhole: true))
    case .chunkedCut(let chunks):
      try send(chunked(chunks, isWhole: false))
      throw Hangup(side: .server)
    case .pieces(let pieces, let end):
      try send(chunkedHead())
      let length = response.announcedLength
      let isFramed = length == nil && !isUnframed
      if sendsBody { try deliver(pieces, end: end, length: length, isFramed: isFramed) }
    case .raw(let bytes):
      try send(Array(bytes))
      throw Hangup(side: .server)
    case .rawThenReset(let bytes):
      try send(Array(bytes))
      try reset()
    case .dripped(let bytes, let time):
      let begin = ContinuousClock.now
      for (index, byte) in bytes.enumerated() {
        try wait(until: begin + time * (index + 1))
        try send([byte])
      }
      throw Hangup(side: .server)
    case .endless(let bytes, let more):
      try send(Array(bytes))
      while !more.isEmpty { try send(Array(more)) }
      while true { try readMore() }
    case .closeBeforeResponse:
      throw Hangup(side: .server)
    case .resetBeforeResponse:
      try reset()
    case .hang:
      while true { try readMore() }
    }
    if !staysOpen { throw Hangup(side: .server) }
  }

  /// Sends a body piece by piece.
  ///
  /// - Parameters:
  ///   - length: The announced length; nil if there is none.
  ///   - isFramed: Whether the pieces are chunks.
  private mutating func deliver(
    _ pieces: [MockPiece], end: BodyEnd, length: Int?, isFramed: Bool
  ) throws(Hangup) {
    func framed(_ bytes: some Collection<UInt8>) -> [UInt8] {
      isFramed ? MockResponse.chunk(bytes) : Array(bytes)
    }
    for piece in pieces {
      if let gate = piece.gate { try wait(for: gate) }
      try wait(for: piece.wait)
      if let pace = piece.pace {
        try deliver(piece.data, pace: pace, framed)
      } else {
        try send(framed(piece.data))
      }
    }
    switch end {
    case .complete:
      if isFramed { try send(MockResponse.lastChunk) }
      let count = pieces.reduce(0) { $0 + $1.data.count }
      if let length, count != length { throw Hangup(side: .server) }
    case .cut: throw Hangup(side: .server)
    case .reset: try reset()
    case .silence: while true { try readMore() }
    }
  }

  /// Sends bytes, each at its time: a pace after the one before it.
  ///
  /// The times count from the beginning, so that no delay of a wait adds up. Bytes that are due
  /// together are sent together.
  private mutating func deliver(
    _ bytes: Data, pace: Duration, _ framed: ([UInt8]) -> [UInt8]
  ) throws(Hangup) {
    let begin = ContinuousClock.now
    var rest = bytes[...]
    while !rest.isEmpty {
      try wait(until: begin + pace * (bytes.count - rest.count + 1))
      let due = min((ContinuousClock.now - begin) / pace, Double(bytes.count))
      let whole = Int(exactly: due.rounded(.down)) ?? bytes.count
      let next = rest.prefix(max(whole - (bytes.count - rest.count), 1))
      try send(framed(Array(next)))
      rest = rest.dropFirst(next.count)
    }
  }

  private func reset() throws(Hangup) -> Never {
    socket.resetAtEnd()
    throw Hangup(side: .server, isReset: true)
  }

  /// Answers 400 or 501 and closes, but first lets a client that still sends read the response.
  private mutating func refuse(_ fault: MockFraming.Fault) throws(Hangup) -> Never {
    try sendLast(
      .text("MockServer cannot read this request: \(fault.reason)\n", status: fault.status))
    letClientRead()
    throw Hangup(side: .server)
  }

  /// Tells the client that nothing more will come, and waits until it closes.
  ///
  /// A close with unread input would reset the connection, and the response could get lost.
  private mutating func letClientRead() {
    socket.shutDownSending()
    while (try? receive()) != nil {}
  }

  private func sendLast(_ answer: MockResponse) throws(Hangup) {
    let length = ("Content-Length", String(answer.body.count))
    try send(answer.head(framing: length, persistence: "close") + answer.body)
  }

  private mutating func readMore() throws(Hangup) {
    parser.append(try receive())
  }

  /// Waits for bytes from the client.
  private mutating func receive() throws(Hangup) -> ArraySlice<UInt8> {
    while true {
      if socket.wait(for: POLLIN, or: [core.stopLatch]) != .ready { throw Hangup(side: .server) }
      if let bytes = try receiveNow() { return bytes }
    }
  }

  /// Returns the bytes that have arrived, or nil if there are none.
  private mutating func receiveNow() throws(Hangup) -> ArraySlice<UInt8>? {
    switch socket.receiveSome(into: &buffer) {
    case .bytes(let count): return buffer[..<count]
    case .wouldBlock: return nil
    case .ended: throw Hangup(side: .client)
    }
  }

  private func send(_ bytes: [UInt8]) throws(Hangup) {
    var rest = ArraySlice(bytes)
    while !rest.isEmpty {
      switch socket.sendSome(rest) {
      case .bytes(let count):
        rest = rest.dropFirst(count)
      case .wouldBlock:
        if socket.wait(for: POLLOUT, or: [core.stopLatch]) != .ready { throw Hangup(side: .server) }
      case .ended:
        throw Hangup(side: .client)
      }
    }
  }

  /// Waits until the time is over, the client closes or sends, or the server stops.
  ///
  /// Bytes from the client are kept for later.
  private mutating func pause(for time: Duration) throws(Hangup) {
    let (seconds, attoseconds) = time.components
    // Rounded up, since a wait of less than a millisecond would be none.
    let milliseconds =
      min(seconds, 1_000_000) * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    switch socket.wait(for: POLLIN, or: [core.stopLatch], milliseconds: Int32(milliseconds)) {
    case .timeout: break
    case .ready: if let bytes = try receiveNow() { parser.append(bytes) }
    case .latch: throw Hangup(side: .server)
    }
  }

  /// Waits for a time; bytes from the client are kept for later.
  private mutating func wait(for time: Duration) throws(Hangup) {
    try wait(until: .now + time)
  }

  private mutating func wait(until end: ContinuousClock.Instant) throws(Hangup) {
    while case let rest = end - .now, rest > .zero { try pause(for: rest) }
  }

  /// Waits until the gate opens; bytes from the client are kept for later.
  private mutating func wait(for gate: MockGate) throws(Hangup) {
    let latch: MockLatch?
    do throws(MockServerError) {
      latch = try gate.latch()
    } catch {
      try sendLast(.text("MockServer cannot hold a response: \(error)\n", status: 500))
      throw Hangup(side: .server)
    }
    guard let latch else { return }
    while case let waking = socket.wait(for: POLLIN, or: [core.stopLatch, latch]),
      waking != .latch(1)
    {
      guard waking == .ready else { throw Hangup(side: .server) }
      if let bytes = try receiveNow() { parser.append(bytes) }
    }
  }
}
