#if os(Linux)
  import Foundation
  import Testing

  @testable import RESTKit

  @Suite("The events of a call in pieces, in order")
  struct CurlPiecesTests {
    private let outbox = CurlOutbox()
    private let call = EngineCall(completion: { _ in }, onCancel: { _ in })
    private let chunk = EngineEvent.chunk(Data(count: 1))
    private let head = EngineEvent.head(
      EngineHead(status: 200, httpVersion: "HTTP/1.1", headers: HTTPHeaders()))

    private func makePieces() -> CurlPieces {
      CurlPieces(call, tell: { _ in .more }, outbox: outbox)
    }

    private func makeJob() throws -> CurlJob {
      try CurlJob(
        EngineRequest(url: "http://a.example/"), call, begin: .now, library: try .load())
    }

    /// Takes out what is told next, in a word; nil where nothing can be told.
    private func next() -> String? {
      switch outbox.next() {
      case .piece(_, .sent(let count), _): "sent \(count)"
      case .piece(_, .head, _): "head"
      case .piece(_, .chunk, _): "chunk"
      case .end: "end"
      case .errand, .letGo: "something else"
      case nil: nil
      }
    }

    @Test(
      "A pause that a thread reports late counts, unless it was resumed in the meantime",
      arguments: [false, true])
    func latePause(isUndone: Bool) {
      let pieces = makePieces()
      for _ in 0..<3 { pieces.append(chunk) }
      #expect(next() == "chunk")
      // The thread with the piece does not lead any more.
      if isUndone { pieces.resume() }
      #expect(pieces.isHeld)
      #expect(next() == nil)
      pieces.noteTold(.pause)
      #expect(pieces.isHeld == !isUndone)
      if !isUndone {
        #expect(next() == nil)
        pieces.resume()
        #expect(!pieces.isHeld)
      }
      #expect(next() == "chunk")
      // One resume undoes one pause.
      pieces.noteTold(.pause)
      #expect(pieces.isHeld)
      #expect(next() == nil)
    }

    @Test("At the end of an engine a pause delays nothing")
    func endOfPauses() throws {
      let pieces = makePieces()
      for event in [head, chunk, chunk] { pieces.append(event) }
      pieces.append(end: .failure(.engineClosed), of: try makeJob())
      #expect(next() == "head")
      pieces.noteTold(.pause)
      #expect(next() == nil)
      pieces.endPauses()
      for _ in 0..<2 {
        #expect(next() == "chunk")
        pieces.noteTold(.pause)
      }
      #expect(next() == "end")
      #expect(next() == nil)
    }

    @Test("A cancelled call gets no event, and returns its job if it had ended")
    func close() throws {
      let pieces = makePieces()
      pieces.append(chunk)
      #expect(pieces.close() == nil)
      #expect(next() == nil)
      let job = try makeJob()
      let ended = makePieces()
      ended.append(chunk)
      ended.append(end: .failure(.engineClosed), of: job)
      #expect(ended.close() === job)
      #expect(ended.close() == nil)
      #expect(next() == nil)
    }

    @Test("Of many waiting progress events only the latest is delivered; few are all delivered")
    func progress() {
      let pieces = makePieces()
      for count: Int64 in 1...1_000 { pieces.append(.sent(count)) }
      #expect(next() == "sent 1")
      // While that is told, too.
      for count: Int64 in 1_001...2_000 { pieces.append(.sent(count)) }
      pieces.append(head)
      for count: Int64 in 2_001...3_000 { pieces.append(.sent(count)) }
      pieces.append(chunk)
      pieces.append(.sent(3_001))
      var told: [String] = []
      pieces.noteTold(.more)
      while let word = next() {
        told.append(word)
        pieces.noteTold(.more)
      }
      let steps = (2...15).map { "sent \($0)" }
      let latest = ["sent 1000", "sent 2000", "head", "sent 3000", "chunk", "sent 3001"]
      #expect(told == steps + latest)
    }

    @Test("The rest for a thread with a piece is all waiting events, then the end")
    func rest() throws {
      let pieces = makePieces()
      for event in [head, chunk] { pieces.append(event) }
      pieces.append(end: .failure(.engineClosed), of: try makeJob())
      #expect(next() == "head")
      let rest = pieces.rest()
      #expect(rest.map { $0.callWithPieces === call } == [true, false])
      #expect(rest.last?.endedCall === call)
      #expect(pieces.rest().isEmpty)
    }
  }
#endif
