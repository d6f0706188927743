#if os(Linux)
  import Fixtures
  import Foundation
  import Streams
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A libcurl handle and its call")
  struct CurlTransferTests {
    /// The events that the call received.
    private final class Events: Sendable {
      private let state = Lock<(sent: [Int64], chunks: [Data])>(([], []))
      private let flow: HandlerWish

      init(_ flow: HandlerWish = .more) { self.flow = flow }

      var sent: [Int64] { state.withLock { $0.sent } }
      var chunks: [Data] { state.withLock { $0.chunks } }

      func take(_ event: EngineEvent) -> HandlerWish {
        state.withLock { state in
          switch event {
          case .sent(let count): state.sent.append(count)
          case .chunk(let chunk): state.chunks.append(chunk)
          case .head: break
          }
        }
        if case .chunk = event { return flow }
        return .more
      }
    }

    private let desk = TellingDesk()
    private let connections = CurlConnections()
    private let connectionQueue = CurlConnectionQueue(ConnectionShare(connections: 100))
    private let place = CurlConnections.Place(
      localPort: 1, remotePort: 80, remoteAddress: "127.0.0.1")

    private func make(_ library: CurlLibrary) throws -> CurlTransfer {
      try CurlTransfer(library, CurlConfiguration(), connections)
    }

    private func prepare(
      _ transfer: CurlTransfer, _ method: String = "POST", url: String = "http://a.example/",
      _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws {
      var request = EngineRequest(url: url, method: method)
      change(&request)
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let job = try CurlJob(request, call, begin: .now, library: transfer.library)
      try transfer.prepare(
        job, in: try #require(connectionQueue.begin(job)), desk.takeFeed(of: call, request.events),
        desk.deliveryQueue, onBody: {})
      desk.tellAll()
    }

    private func note(_ words: String, by transfer: CurlTransfer) {
      Array(words.utf8).withUnsafeBytes { transfer.note(words: $0) }
    }

    private func take(header line: String, by transfer: CurlTransfer) -> Bool {
      defer { desk.tellAll() }
      return Array(line.utf8).withUnsafeBytes { transfer.take(header: $0) }
    }

    private func take(body text: String, by transfer: CurlTransfer) -> Int {
      Array(text.utf8).withUnsafeBytes { transfer.take(body: $0) }
    }

    /// The next bytes that go out, four at most; nil where none do.
    private func given(by transfer: CurlTransfer) -> String? {
      var buffer = [UInt8](repeating: 0, count: 4)
      let count = buffer.withUnsafeMutableBytes { transfer.give(into: $0) }
      desk.tellAll()
      return (0...4).contains(count) ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private func fault(_ transfer: CurlTransfer, _ code: Int32) throws -> TransportError {
      try #require(throws: TransportError.self) { try transfer.result(code).whole.get() }
    }

    // MARK: Once, or again

    @Test("A request that must not run twice is not sent again, and the fault says so")
    func onlyOnce() throws {
      let transfer = try make(.posing())
      try prepare(transfer)
      #expect(!transfer.mayHaveBeenProcessed)
      #expect(transfer.begin(at: place))
      #expect(transfer.mayHaveBeenProcessed)
      #expect(!transfer.begin(at: place))
      let fault = try fault(transfer, 42)
      #expect(fault.kind == .connectionClosedBeforeResponse)
      #expect(fault.mayHaveBeenProcessed)
    }

    @Test("A request that may run twice is sent again")
    func again() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "PUT")
      for _ in 0..<3 { #expect(transfer.begin(at: place)) }
      #expect(transfer.rewind(to: 0))
    }

    @Test("A request that the server did not process is sent again, once for each such message")
    func unprocessed() throws {
      let transfer = try make(.posing())
      try prepare(transfer)
      #expect(transfer.begin(at: place))
      note("REFUSED_STREAM, retrying a fresh connect", by: transfer)
      #expect(try !fault(transfer, 92).mayHaveBeenProcessed)
      #expect(transfer.begin(at: place))
      #expect(try fault(transfer, 92).mayHaveBeenProcessed)
      #expect(!transfer.begin(at: place))
    }

    @Test(
      "Up to 7.79 the rewind of a body can be refused",
      arguments: [("PUT", true), ("POST", false)])
    func rewind(method: String, mayRepeat: Bool) throws {
      let transfer = try make(.posing(as: 0x07_4F00))
      try prepare(transfer, method) { $0.body = Data("0123456789".utf8) }
      #expect(!transfer.mayHaveBeenProcessed)
      #expect(given(by: transfer) == "0123")
      #expect(transfer.rewind(to: 2) == mayRepeat)
      #expect(given(by: transfer) == (mayRepeat ? "2345" : "4567"))
      #expect(transfer.rewind(to: 11) == false)
      let isRefused = try fault(transfer, 65).kind == .connectionClosedBeforeResponse
      #expect(isRefused == !mayRepeat)
    }

    @Test(
      "7.88 reports no refused stream on a shared connection; other versions do",
      arguments: [
        (0x07_5801, true, "", true), (0x07_5900, true, "", false), (0x07_5801, false, "", false),
        (0x07_5801, true, "x", false),
      ] as [(UInt32, Bool, String, Bool)])
    func silence(version: UInt32, isShared: Bool, words: String, mayRepeat: Bool) throws {
      connections.enter(place, socket: -1, mayBeShared: true, end: nil)
      if isShared { connections.note(place, isShared: true) }
      let transfer = try make(.posing(as: version))
      try prepare(transfer)
      #expect(transfer.begin(at: place))
      for (index, byte) in words.utf8.enumerated() { transfer.errorText[index] = CChar(byte) }
      #expect(transfer.begin(at: place) == mayRepeat)
    }

    @Test("An unprocessed request is sent over a new connection, once and from its start")
    func anew() throws {
      let transfer = try make(.posing())
      try prepare(transfer) { $0.body = Data("0123456789".utf8) }
      #expect(transfer.begin(at: place))
      #expect(given(by: transfer) == "0123")
      #expect(!transfer.canBeginAnew(after: 92))
      note("REFUSED_STREAM", by: transfer)
      #expect(!transfer.canBeginAnew(after: 0))
      #expect(transfer.canBeginAnew(after: 92))
      try transfer.beginAnew()
      #expect(transfer.route.place == nil)
      #expect(given(by: transfer) == "0123")
      #expect(!transfer.canBeginAnew(after: 92))
    }

    @Test("After a status a request is not sent again")
    func notAnew() throws {
      let transfer = try make(.posing())
      try prepare(transfer)
      note("REFUSED_STREAM", by: transfer)
      #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      #expect(!transfer.canBeginAnew(after: 92))
    }

    // MARK: Pauses and silence

    /// The moment from which the server is silent moves on with what is done.
    private func expectActivity(
      _ transfer: CurlTransfer, _ location: SourceLocation = #_sourceLocation,
      _ work: () throws -> Void
    ) throws {
      let before = try #require(transfer.idleDeadline, sourceLocation: location)
      try work()
      let after = try #require(transfer.idleDeadline, sourceLocation: location)
      #expect(after > before, sourceLocation: location)
    }

    @Test("Each piece of either body and each line counts as activity")
    func activity() throws {
      let transfer = try make(.posing())
      let begin = ContinuousClock.now
      try prepare(transfer) {
        $0.idleTimeout = .seconds(3_600)
        $0.body = Data("0123456789".utf8)
      }
      #expect(try #require(transfer.idleDeadline) > begin + .seconds(3_599))
      try expectActivity(transfer) { #expect(given(by: transfer) == "0123") }
      try expectActivity(transfer) {
        #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      }
      try expectActivity(transfer) { #expect(take(body: "abc", by: transfer) == 3) }
      try expectActivity(transfer) { #expect(transfer.resumeReceiving() == 0) }
    }

    @Test("Without a limit silence is not checked")
    func noLimit() throws {
      let transfer = try make(.posing())
      try prepare(transfer)
      #expect(transfer.idleDeadline == nil)
    }

    @Test("A paused response leaves further data with libcurl")
    func receivingPaused() throws {
      let transfer = try make(.posing())
      let events = Events(.pause)
      var buffer: EventBuffer?
      try prepare(transfer) {
        $0.idleTimeout = .seconds(3_600)
        $0.onEvent = events.take
        buffer = $0.events
      }
      for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
        #expect(take(header: line, by: transfer))
      }
      #expect(take(body: "abc", by: transfer) == 3)
      transfer.response.tellChunk()
      desk.tellAll()
      #expect(events.chunks == [Data("abc".utf8)])
      // Nothing waits yet.
      #expect(transfer.idleDeadline != nil)
      let large = String(repeating: "d", count: 200 << 10)
      #expect(take(body: large, by: transfer) == large.utf8.count)
      transfer.response.tellChunk()
      desk.tellAll()
      #expect(events.chunks.count == 1)
      #expect(transfer.idleDeadline == nil)
      #expect(take(body: "ghi", by: transfer) == 0x1000_0001)
      #expect(desk.resumed == 0)
      try #require(buffer).request(.max(1))
      #expect(events.chunks.count == 2)
      #expect(desk.resumed == 1)
      desk.feed?.resume()
      #expect(transfer.idleDeadline == nil)
      try #require(buffer).request(.max(1))
      #expect(transfer.resumeReceiving() == 7)
      #expect(transfer.resumeReceiving() == 0)
      #expect(transfer.idleDeadline != nil)
      #expect(take(body: "ghi", by: transfer) == 3)
      // Events that libcurl has finished are delivered before the end.
      #expect(try transfer.result(0).get().status == 200)
      desk.tellAll()
      #expect(events.chunks.last == Data("ghi".utf8))
    }

    @Test("A body without data waits, and continues after its notification")
    func sendingPaused() throws {
      let transfer = try make(.posing())
      let upstream = TestPublisher<Data, any Error>()
      let events = Events()
      try prepare(transfer, "PUT") {
        $0.idleTimeout = .seconds(3_600)
        $0.onEvent = events.take
        $0.upload = .chunks(upstream)
      }
      #expect(transfer.resumeSending() == 0)
      #expect(given(by: transfer) == nil)
      #expect(transfer.idleDeadline != nil)
      upstream.send(Data("abc".utf8))
      #expect(transfer.resumeSending() == 7)
      #expect(transfer.resumeSending() == 0)
      #expect(transfer.idleDeadline != nil)
      #expect(given(by: transfer) == "abc")
      #expect(given(by: transfer) == nil)
      #expect(transfer.idleDeadline != nil)
      // It was asked again, unasked, and has something.
      upstream.send(Data("de".utf8))
      #expect(given(by: transfer) == "de")
      #expect(transfer.idleDeadline != nil)
      upstream.send(completion: .finished)
      #expect(given(by: transfer) == "")
      #expect(events.sent == [3, 5])
    }

    @Test("Resuming a body counts as activity")
    func resumedSending() throws {
      let transfer = try make(.posing())
      let upstream = TestPublisher<Data, any Error>()
      try prepare(transfer, "PUT") {
        $0.idleTimeout = .seconds(3_600)
        $0.upload = .chunks(upstream)
      }
      let before = try #require(transfer.idleDeadline)
      #expect(given(by: transfer) == nil)
      #expect(transfer.resumeSending() == 7)
      #expect(try #require(transfer.idleDeadline) > before)
    }

    @Test("A failed body ends its call with its own fault")
    func failedBody() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "PUT") {
        $0.upload = .chunks(Fail<Data, any Error>(error: TestFailure()))
      }
      #expect(given(by: transfer) == nil)
      #expect(try fault(transfer, 42).detail == "the body's publisher failed: TestFailure")
    }

    @Test("A complete response to an unfinished body counts at the time limit", arguments: [1, 2])
    func earlyResponse(way: Int) throws {
      func result(of transfer: CurlTransfer) -> Result<EngineResponse, TransportError> {
        (way == 1 ? transfer.result(28) : transfer.resultAtLimit()).whole
      }
      func isLate(_ transfer: CurlTransfer) -> Bool {
        guard case .failure(let fault) = result(of: transfer) else { return false }
        return fault.kind == .timedOut
      }
      func transfer(_ lines: String...) throws -> CurlTransfer {
        let transfer = try make(.posing())
        try prepare(transfer, "PUT") { $0.upload = .chunks(TestPublisher<Data, any Error>()) }
        #expect(isLate(transfer))
        for line in lines + [""] { #expect(take(header: line + "\r\n", by: transfer)) }
        return transfer
      }
      let empty = try transfer("HTTP/1.1 204 No Content")
      #expect(try result(of: empty).get().status == 204)

      let short = try transfer("HTTP/1.1 200 OK", "Content-Length: 2")
      #expect(take(body: "o", by: short) == 1)
      #expect(isLate(short))
      #expect(take(body: "k", by: short) == 1)
      #expect(try result(of: short).get().body == Data("ok".utf8))

      let chunked = try transfer("HTTP/1.1 200 OK", "Transfer-Encoding: chunked")
      #expect(take(body: "ok", by: chunked) == 2)
      Array("2\r\nok\r\n".utf8).withUnsafeBytes { chunked.watch(body: $0) }
      #expect(isLate(chunked))
      Array("0\r\n".utf8).withUnsafeBytes { chunked.watch(body: $0) }
      #expect(try result(of: chunked).get().body == Data("ok".utf8))

      let endless = try transfer("HTTP/1.1 200 OK")
      #expect(take(body: "ok", by: endless) == 2)
      #expect(isLate(endless))
    }

    // MARK: Times

    @Test("The last byte of a body is noted, with known or unknown length")
    func bodyEnd() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "PUT") { $0.body = Data("01234567".utf8) }
      #expect(given(by: transfer) == "0123")
      #expect(transfer.timestamps.bodyEnd == nil)
      #expect(given(by: transfer) == "4567")
      #expect(transfer.timestamps.bodyEnd != nil)
      transfer.clear()
      #expect(transfer.timestamps.start == nil && transfer.timestamps.bodyEnd == nil)

      let upstream = TestPublisher<Data, any Error>()
      try prepare(transfer, "PUT") { $0.upload = .chunks(upstream) }
      upstream.send(Data("abc".utf8))
      #expect(given(by: transfer) == "abc")
      #expect(transfer.timestamps.bodyEnd == nil)
      upstream.send(completion: .finished)
      #expect(given(by: transfer) == "")
      #expect(transfer.timestamps.bodyEnd != nil)
      #expect(transfer.begin(at: place))
      #expect(transfer.timestamps.bodyEnd == nil)
    }

    @Test("With a request body, the response begins at the last status line")
    func responseBegin() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "PUT") { $0.body = Data("0".utf8) }
      #expect(take(header: "HTTP/1.1 100 Continue\r\n", by: transfer))
      let interim = try #require(transfer.timestamps.response)
      #expect(take(header: "\r\n", by: transfer))
      #expect(transfer.timestamps.response == interim)
      #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      let last = try #require(transfer.timestamps.response)
      #expect(last > interim)
      #expect(take(header: "X: y\r\n", by: transfer))
      #expect(transfer.timestamps.response == last)
    }

    @Test("A small request on its own kept connection reads the clock once")
    func fewReads() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "GET")
      #expect(transfer.timestamps.start != nil)
      #expect(transfer.begin(at: place))
      #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      #expect(transfer.timestamps.request == nil && transfer.timestamps.response == nil)
      #expect(transfer.begin(at: place))
      #expect(transfer.timestamps.request != nil)
    }

    @Test("A request on a shareable connection, or with a body, is timed when it is sent")
    func timedRequests() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "GET", url: "https://a.example/")
      #expect(transfer.begin(at: place))
      #expect((transfer.timestamps.request != nil) == transfer.library.speaksHTTP2)
      transfer.clear()
      try prepare(transfer, "PUT") { $0.body = Data("0".utf8) }
      #expect(transfer.begin(at: place))
      #expect(transfer.timestamps.request != nil)
    }

    @Test("The queue time lasts until libcurl has the call, and restarts with the request")
    func startAnew() throws {
      let transfer = try make(.posing())
      try prepare(transfer, "PUT") { $0.body = Data("0".utf8) }
      let first = try #require(transfer.timestamps.start)
      #expect(try #require(transfer.job).begin <= first)
      #expect(transfer.begin(at: place))
      transfer.timestamps.noteLookup()
      try transfer.beginAnew()
      #expect(try #require(transfer.timestamps.start) > first)
      #expect(transfer.timestamps.request == nil && transfer.timestamps.lookup == nil)
    }

    // MARK: From call to call

    @Test("A cleared handle keeps nothing of its call")
    func cleared() throws {
      let transfer = try make(.posing())
      let upstream = TestPublisher<Data, any Error>()
      let events = Events(.pause)
      try prepare(transfer, url: "https://a.example/") {
        $0.idleTimeout = .seconds(3_600)
        $0.onEvent = events.take
        $0.upload = .chunks(upstream)
      }
      #expect(transfer.begin(at: place))
      upstream.send(Data("abc".utf8))
      #expect(given(by: transfer) == "abc")
      #expect(given(by: transfer) == nil)
      for line in ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n"] {
        #expect(take(header: line, by: transfer))
      }
      #expect(transfer.chunks != nil)
      for text in ["abc", String(repeating: "d", count: 200 << 10)] {
        #expect(take(body: text, by: transfer) == text.utf8.count)
        transfer.response.tellChunk()
        desk.tellAll()
      }
      #expect(take(body: "def", by: transfer) == 0x1000_0001)
      note("REFUSED_STREAM", by: transfer)
      upstream.send(completion: .failure(TestFailure()))
      #expect(given(by: transfer) == nil)
      transfer.errorText[0] = 65
      transfer.errorText[1] = 66
      let line = try #require(transfer.waitingLine)
      transfer.clear()
      connectionQueue.leave(line)
      #expect(transfer.job == nil && transfer.waitingLine == nil && transfer.reader == nil)
      #expect(transfer.chunks == nil && transfer.patience == nil && transfer.headerList == nil)
      #expect(transfer.route.place == nil && transfer.response.statusCode == nil)
      #expect(transfer.idleDeadline == nil)
      #expect(!transfer.mayHaveBeenProcessed)

      let next = Events()
      try prepare(transfer) {
        $0.idleTimeout = .seconds(3_600)
        $0.onEvent = next.take
        $0.body = Data("0123456789".utf8)
      }
      #expect(transfer.errorText[0] == 0)
      #expect(transfer.idleDeadline != nil)
      #expect(!transfer.canBeginAnew(after: 92))
      #expect(try fault(transfer, 28).kind == .timedOut)
      #expect(given(by: transfer) == "0123")
      #expect(next.sent == [4])
      #expect(transfer.begin(at: place))
    }

    @Test("An unused tunnel is not watched for the next call")
    func clearedTunnel() throws {
      let transfer = try make(.posing())
      try prepare(transfer, url: "https://a.example/")
      transfer.clear()
      let isTunneled = transfer.tunnel.end()
      #expect(!isTunneled)
    }

    @Test("A call that was restarted leaves the next call its own restart")
    func clearedChance() throws {
      let transfer = try make(.posing())
      for _ in 0..<2 {
        try prepare(transfer)
        #expect(transfer.begin(at: place))
        note("REFUSED_STREAM", by: transfer)
        #expect(transfer.canBeginAnew(after: 92))
        #expect(!transfer.canBeginAnew(after: 92))
        transfer.clear()
      }
    }

    @Test("A kept handle keeps no call")
    func clearedCall() throws {
      let transfer = try make(.posing())
      weak var held: EngineCall?
      do {
        try prepare(transfer) { $0.body = Data("a".utf8) }
        held = transfer.job?.call
        #expect(held != nil)
        transfer.clear()
      }
      #expect(held == nil)
    }

    @Test("A handle is reused after a success if libcurl's memory is safe")
    func reusable() throws {
      let cases: [(UInt32, FoldedLineWatch, Int32, Bool)] = [
        (0x08_0300, .untried, 0, true), (0x08_0300, .fails, 0, true), (0x08_0300, .works, 1, false),
        (0x07_5801, .works, 0, true), (0x07_5801, .works, 1, false),
        (0x07_5801, .untried, 0, false), (0x07_5801, .isOn, 0, false),
        (0x07_5801, .fails, 0, false),
      ]
      for (version, watch, code, isReusable) in cases {
        let transfer = try make(.posing(as: version))
        transfer.watch = watch
        #expect(transfer.isReusable(after: code) == isReusable, "\(version) \(watch) \(code)")
      }
    }

    // MARK: The beginning of a response

    @Test("The line after a status line is checked before libcurl stores it")
    func watch() throws {
      let transfer = try make(.posing(as: 0x07_5801))
      func see(_ line: String) { Array(line.utf8).withUnsafeBytes { transfer.watch($0) } }
      try prepare(transfer, "GET")
      #expect(transfer.watch == .untried)
      see(" x\r\n")
      #expect(transfer.watch == .untried && transfer.response.fault == nil)
      #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      #expect(transfer.watch == .isOn)
      see("X: y\r\n")
      #expect(transfer.watch == .works && transfer.response.fault == nil)
      #expect(take(header: "X: y\r\n", by: transfer))
      see(" z\r\n")
      #expect(transfer.watch == .works && transfer.response.fault == nil)
    }

    @Test("A folded line is refused, and the transfer ends", arguments: [" x\r\n", "\tx\r\n"])
    func folded(line: String) throws {
      let transfer = try make(.posing(as: 0x07_5801))
      try prepare(transfer, "GET")
      #expect(!transfer.isToEnd())
      #expect(take(header: "HTTP/1.1 200 OK\r\n", by: transfer))
      Array(line.utf8).withUnsafeBytes { transfer.watch($0) }
      #expect(transfer.response.fault?.kind == .malformedResponse)
      #expect(transfer.response.fault?.statusCode == 200)
      #expect(transfer.response.fault?.mayHaveBeenProcessed == true)
      #expect(transfer.isToEnd())
      #expect(try fault(transfer, 42).detail == "its first header line is folded")
    }

    @Test("A line that libcurl stored unseen ends the watch for good")
    func unseen() throws {
      let transfer = try make(.posing(as: 0x07_5801))
      try prepare(transfer, "GET")
      #expect(take(header: "HTTP/1.1 103 Early Hints\r\n", by: transfer))
      for end in ["\n", "\r\n"] {
        Array(end.utf8).withUnsafeBytes { transfer.beginWatch(behind: $0) }
        #expect(transfer.watch == .isOn)
      }
      for line in ["X: y\r\n", "\r\n", "HTTP/1.1 200 OK\r\n"] {
        #expect(take(header: line, by: transfer))
        #expect(transfer.watch == .fails)
      }
    }

    // MARK: Words

    @Test("A fault has libcurl's text, or the meaning of its code if there is none")
    func words() throws {
      let library = try CurlLibrary.posing()
      let transfer = try make(library)
      try prepare(transfer)
      #expect(try fault(transfer, 28).detail == library.text(for: 28))
      transfer.errorText[0] = CChar(UInt8(ascii: "A"))
      #expect(try fault(transfer, 28).detail == "A")
      #expect(!library.text(for: 28).hasPrefix("code"))
      #expect(!library.multiText(for: 1).hasPrefix("code"))
    }

    @Test("An unused handle has no response")
    func unused() throws {
      let transfer = try make(.posing())
      #expect(transfer.response.statusCode == nil)
      #expect(given(by: transfer) == "")
    }

    @Test("The first nonzero code is kept, of one option or of several")
    func codes() {
      var codes = CurlCodes()
      codes += 0
      #expect(codes.refusal == nil)
      codes += [0, 0]
      #expect(codes.refusal == nil)
      codes += [0, 5, 6]
      codes += 7
      #expect(codes.refusal == 5)
      var others = CurlCodes()
      others += 1
      #expect(others.refusal == 1)
    }
  }
#endif
