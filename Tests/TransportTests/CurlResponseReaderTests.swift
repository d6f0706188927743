#if os(Linux)
  import Fixtures
  import Foundation
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A response assembled from libcurl's lines and bytes")
  struct CurlResponseReaderTests {
    /// The events that the receiver of the pieces got.
    private final class Told: Sendable {
      private let state = Lock<[String]>([])

      var words: [String] { state.withLock { $0 } }

      func take(_ event: EngineEvent) -> HandlerWish {
        let word =
          switch event {
          case .sent(let count): "sent \(count)"
          case .head(let head): "head \(head.status)"
          case .chunk(let chunk): "chunk \(chunk.count)"
          }
        state.withLock { $0.append(word) }
        return word == "chunk 3" ? .pause : .more
      }
    }

    /// A reader that is fed with text.
    private final class Fed {
      private var reader: CurlResponseReader
      private let desk = TellingDesk()

      init(_ limits: TransportLimits = TransportLimits(), _ told: Told? = nil) {
        let events = told.map { EventBuffer(handler: $0.take) }
        let call = EngineCall(completion: { _ in }, onCancel: { _ in })
        reader = CurlResponseReader(limits, feed: desk.takeFeed(of: call, events))
      }

      init(_ lines: [String], isOfHead: Bool = false, ends: Bool = true) {
        reader = CurlResponseReader(TransportLimits(), isOfHead: isOfHead)
        _ = take(lines + (ends ? [""] : []))
      }

      // A reader is not copied, not even by an expectation.
      var fault: TransportError? { reader.fault }

      var faultAtEnd: TransportError? { reader.faultAtEnd }

      var isHeld: Bool { reader.isHeld }

      var isChunked: Bool { reader.isChunked }

      var endsWithConnection: Bool { reader.endsWithConnection }

      var response: EngineResponse { reader.response(timings: ExchangeMetrics()) }

      /// Whether each of the lines was taken.
      func take(_ lines: [String]) -> [Bool] {
        defer { desk.tellAll() }
        return lines.map { line in
          Array((line + "\r\n").utf8).withUnsafeBytes { reader.take(header: $0) }
        }
      }

      func take(_ body: Data) -> Bool {
        defer { desk.tellAll() }
        return body.withUnsafeBytes { reader.take(body: $0) }
      }

      func takeNothing() -> Bool {
        reader.take(body: UnsafeRawBufferPointer(start: nil, count: 0))
      }

      func tellChunk() {
        reader.tellChunk()
        desk.tellAll()
      }

      func note(sent bytes: Int64) {
        reader.note(sent: bytes)
        desk.tellAll()
      }
    }

    private func head(
      _ lines: [String], isOfHead: Bool = false, ends: Bool = true
    ) -> Fed {
      Fed(lines, isOfHead: isOfHead, ends: ends)
    }

    @Test("Lines up to the byte limit are accepted, including line breaks, and not one byte more")
    func bytes() {
      for (limit, expected) in [(26, [true, true, true]), (25, [true, true, false])] {
        var limits = TransportLimits()
        limits.headerBytes = limit
        let fed = Fed(limits)
        #expect(fed.take(["HTTP/1.1 200 OK", "X: yz", ""]) == expected)
        let kind: TransportError.Kind? = limit == 26 ? nil : .limitExceeded(.headerBytes)
        #expect(fed.fault?.kind == kind)
        fed.fault?.expectTrueWord()
      }
    }

    @Test("Lines up to the count limit are accepted, including the first one, and not one more")
    func lines() {
      var limits = TransportLimits()
      limits.headerCount = 3
      let fed = Fed(limits)
      let lines = ["HTTP/1.1 200 OK", "A: b", "A: b", "", "A: b"]
      #expect(fed.take(lines) == [true, true, true, true, false])
      #expect(fed.fault?.kind == .limitExceeded(.headerCount))
      #expect(fed.fault?.statusCode == 200)
      fed.fault?.expectTrueWord()
    }

    @Test(
      "Without another end, a body ends with the connection",
      arguments: [
        (["HTTP/1.1 200 OK"], true), (["HTTP/1.0 200 OK"], true), (["HTTP/2 200"], false),
        (["HTTP/1.1 204 No Content"], false), (["HTTP/1.1 304 Not Modified"], false),
        (["HTTP/1.1 203 OK"], true), (["HTTP/1.1 205 OK"], true), (["HTTP/1.1 303 OK"], true),
        (["HTTP/1.1 305 OK"], true), (["HTTP/1.1 200 OK", "Content-Length: 0"], false),
        (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], false),
      ] as [([String], Bool)])
    func end(lines: [String], endsWithConnection: Bool) {
      #expect(head(lines).endsWithConnection == endsWithConnection)
      #expect(!head(lines, isOfHead: true).endsWithConnection)
      #expect(!head(lines, ends: false).endsWithConnection)
    }

    @Test("Chunks are recognized by their field, over HTTP/1")
    func chunked() {
      let field = "Transfer-Encoding: chunked"
      #expect(head(["HTTP/1.1 200 OK", field]).isChunked)
      #expect(!head(["HTTP/1.1 200 OK"]).isChunked)
      #expect(!head(["HTTP/2 200"]).isChunked)
      #expect(!head(["HTTP/2 200", field], ends: false).isChunked)
    }

    @Test("A head without an end is a reset, with its status if known")
    func endless() {
      let begun = head(["HTTP/1.1 200 OK", "A: b"], ends: false).faultAtEnd
      #expect(begun?.kind == .connectionReset)
      #expect(begun?.mayHaveBeenProcessed == true)
      #expect(begun?.statusCode == 200)
      #expect(head([], ends: false).faultAtEnd?.statusCode == nil)
      #expect(head(["HTTP/1.1 200 OK"]).faultAtEnd == nil)
    }

    @Test(
      "An empty compressed body is cut, unless its length or its kind means empty",
      arguments: [
        (["Content-Encoding: gzip"], true), (["Content-Encoding: identity, br"], true),
        (["Content-Encoding: identity"], false), (["Content-Encoding: , "], false), ([], false),
        (["Content-Encoding: gzip", "Content-Length: 0"], false),
      ] as [([String], Bool)])
    func nothing(fields: [String], isCut: Bool) {
      let fault = head(["HTTP/1.1 200 OK"] + fields).faultAtEnd
      let kind: TransportError.Kind? = isCut ? .bodyCut : nil
      #expect(fault?.kind == kind)
      fault?.expectTrueWord()
      #expect(head(["HTTP/1.1 204 OK"] + fields).faultAtEnd == nil)
    }

    @Test("Compressed data that end early are a cut body, by the received bytes and not the head")
    func cut() {
      let fed = Fed(["HTTP/1.1 200 OK", "Content-Encoding: gzip"])
      #expect(fed.take(BodyFixtures.hellos[0].bytes.dropLast()))
      #expect(fed.faultAtEnd?.kind == .bodyCut)
      #expect(fed.faultAtEnd?.mayHaveBeenProcessed == true)
      #expect(fed.faultAtEnd?.statusCode == 200)
      #expect(fed.take(BodyFixtures.hellos[0].bytes.suffix(1)))
      #expect(fed.faultAtEnd == nil)
    }

    @Test("An empty delivery of bytes is accepted")
    func empty() {
      let fed = Fed(["HTTP/1.1 200 OK"])
      #expect(fed.take(Data()))
      #expect(fed.takeNothing())
      #expect(fed.faultAtEnd == nil)
    }

    @Test("A truncated second gzip member is a cut body, like a first one")
    func cutMember() {
      let member = BodyFixtures.hellos[0].bytes
      for count in 1..<member.count {
        let fed = Fed(["HTTP/1.1 200 OK", "Content-Encoding: gzip"])
        #expect(fed.take(member + member.prefix(count)))
        #expect(fed.faultAtEnd?.kind == .bodyCut, "\(count)")
      }
    }

    @Test("199 is the last status of an interim head")
    func interim() {
      let told = Told()
      let fed = Fed(TransportLimits(), told)
      let lines = ["HTTP/1.1 199 Soon", "A: b", "", "HTTP/1.1 200 OK", "C: d", ""]
      #expect(fed.take(lines) == lines.map { _ in true })
      #expect(told.words == ["head 200"])
      let response = fed.response
      #expect(response.status == 200)
      #expect(response.headers.map(\.name) == ["C"])
    }

    @Test("A body is delivered in pieces of 256 KiB, with the rest on request")
    func pieces() {
      let told = Told()
      let fed = Fed(TransportLimits(), told)
      _ = fed.take(["HTTP/1.1 200 OK", ""])
      let size = 256 << 10
      #expect(fed.take(Data(count: size - 1)))
      #expect(told.words == ["head 200"])
      #expect(fed.take(Data(count: 1)))
      fed.note(sent: 7)
      #expect(told.words == ["head 200", "chunk \(size)", "sent 7"])
      fed.tellChunk()
      #expect(fed.take(Data(count: 2)))
      #expect(!fed.isHeld)
      #expect(fed.take(Data(count: 1)))
      fed.tellChunk()
      #expect(told.words == ["head 200", "chunk \(size)", "sent 7", "chunk 3"])
      // Pieces after a pause wait, and too many hold the response.
      fed.note(sent: 8)
      #expect(!fed.isHeld)
      #expect(fed.take(Data(count: size)))
      #expect(fed.isHeld)
      #expect(told.words.last == "chunk 3")
      #expect(fed.response.body.isEmpty)
    }

    @Test(
      "Fields after the head are trailers, folded lines continue, and framing fields are refused")
    func folds() {
      let fed = Fed()
      let lines = ["HTTP/1.1 200 OK", "A: b", " c", "", "D: e", " f"]
      #expect(fed.take(lines) == lines.map { _ in true })
      let response = fed.response
      #expect(response.headers["A"] == "b c" && response.headers["D"] == nil)
      #expect(response.trailers["D"] == "e f" && response.trailers["A"] == nil)
      for refused in [
        [" c"], ["content-length: 1", " 2"], ["TRANSFER-ENCODING: chunked", " x"],
      ] {
        for start in [["HTTP/1.1 200 OK"], ["HTTP/1.1 200 OK", ""]] {
          let fed = Fed()
          #expect(fed.take(start + refused).last == false)
          #expect(fed.fault?.kind == .malformedResponse)
          fed.fault?.expectTrueWord()
        }
      }
    }

    @Test("HTTP/1.0 knows no chunks", arguments: ["HTTP/1.0 200 OK", "HTTP/2 200", "HTTP/1.1 200"])
    func oldChunks(line: String) {
      let fed = Fed()
      let isTaken = fed.take([line, "Transfer-Encoding: chunked", ""]).last
      #expect(isTaken == line.hasPrefix("HTTP/1.1"))
    }

    @Test("A call that timed out or was cancelled reports that it may have been processed")
    func patience() {
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      func fault(_ deadline: ContinuousClock.Instant?) -> TransportError? {
        do throws(TransportError) {
          try CallPatience(call: call, deadline: deadline).check()
          return nil
        } catch {
          return error
        }
      }
      #expect(fault(nil) == nil)
      #expect(fault(.now + .seconds(3_600)) == nil)
      let late = fault(.now - .seconds(1))
      #expect(late?.kind == .timedOut)
      #expect(late?.mayHaveBeenProcessed == true)
      call.cancel()
      #expect(fault(nil)?.kind == .timedOut)
    }

    @Test("Any count other than the bytes' number ends a transfer")
    func refusal() {
      #expect(CurlCallbacks.refusal(of: 0) == 1)
      for count in [1, 2, 16_384] { #expect(CurlCallbacks.refusal(of: count) == 0) }
    }
  }
#endif
