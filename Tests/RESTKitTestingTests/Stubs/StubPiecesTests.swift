import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A stub's body arrives in pieces, in virtual time")
struct StubPiecesTests {
  private let scheduler = TestScheduler()

  private func stubs(
    _ pieces: [StubPiece], end: BodyEnd = .complete, statusCode: Int = 200,
    headers: HTTPHeaders = [:], delay: Duration = .zero
  ) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: StubRequest(), statusCode: statusCode, headers: headers, pieces: pieces, end: end,
        delay: delay
      ).always(), scheduler: scheduler)
  }

  @Test("Each piece arrives after its wait, and not before")
  func waits() throws {
    let stubs = stubs(
      ["a", .after(.seconds(2), "b"), .after(.seconds(3), Data("c".utf8)), .wait(.seconds(1))],
      delay: .seconds(5))
    let call = try stubs.pieces("/a")
    var seen: [[String]] = []
    for _ in 0..<11 {
      seen.append(call.texts)
      scheduler.advance(by: .seconds(1))
    }
    let (a, ab, abc) = (["head 200", "a"], ["head 200", "a", "b"], ["head 200", "a", "b", "c"])
    #expect(seen == [[], [], [], [], [], a, a, ab, ab, ab, abc])
    #expect(call.isFinished)
    #expect(stubs.journal.map(\.outcome) == [.answered(200)])
  }

  @Test("The end waits for its time, too")
  func lateEnd() throws {
    let call = try stubs(["a", .wait(.seconds(2)), .wait(.seconds(1))], end: .cut).pieces("/a")
    scheduler.advance(by: .milliseconds(2_999))
    #expect(call.texts == ["head 200", "a"] && call.completions.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(call.fault?.kind == .bodyCut)
  }

  @Test("Pieces arrive only on demand, and a piece that is due waits")
  func demand() throws {
    let stubs = stubs(["a", .after(.seconds(1), "b"), "c"])
    let call = try stubs.pieces("/a", demand: .none)
    scheduler.advance(by: .seconds(2))
    #expect(call.values.isEmpty && call.completions.isEmpty)
    for texts in [["head 200"], ["head 200", "a"], ["head 200", "a", "b"]] {
      call.request(.max(1))
      #expect(call.texts == texts)
      #expect(call.completions.isEmpty)
    }
    #expect(stubs.journal.first?.bodyBytes == 2)
    call.request(.max(1))
    #expect(call.texts == ["head 200", "a", "b", "c"])
    #expect(call.isFinished)
    #expect(call.keepsContract)
  }

  @Test("A piece requested ahead comes at its time, and a failure needs no demand")
  func demandAhead() throws {
    let call = try stubs(["a", .after(.seconds(1), "b"), .wait(.seconds(1))], end: .reset)
      .pieces("/a", demand: .max(3))
    #expect(call.texts == ["head 200", "a"])
    scheduler.advance(by: .seconds(1))
    #expect(call.texts == ["head 200", "a", "b"] && call.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(call.fault?.kind == .connectionReset)
  }

  @Test("A failure waits for the pieces before it")
  func failureBehind() throws {
    let call = try stubs(["a"], end: .cut).pieces("/a", demand: .max(1))
    #expect(call.texts == ["head 200"] && call.completions.isEmpty)
    call.request(.max(1))
    #expect(call.texts == ["head 200", "a"])
    #expect(call.fault?.kind == .bodyCut)
  }

  @Test("By default waits pass at once", arguments: BodyEnd.allCases)
  func immediate(end: BodyEnd) throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .get("/a"), pieces: ["a", .after(.seconds(2), "b")], end: end, delay: .seconds(1)))
    let call = try stubs.pieces("/a")
    #expect(call.texts == ["head 200", "a", "b"])
    #expect(call.isFinished == (end == .complete))
    #expect(call.completions.count == 1)
  }

  @Test("Negative waits count as zero")
  func negative() throws {
    let call = try stubs([.after(.seconds(-1), "a")], delay: .seconds(-1)).pieces("/a")
    #expect(call.isFinished)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Ten thousand pieces arrive at constant stack depth", arguments: [true, false])
  func many(haveWaits: Bool) throws {
    let pieces = (0..<10_000).map { _ in
      StubPiece(Data("x".utf8), after: haveWaits ? .milliseconds(1) : .zero)
    }
    let script = StubAPIResponse(request: .get("/a"), pieces: pieces).always()
    let stubs = StubTransport(script)
    let call = try stubs.pieces("/a")
    #expect(call.values.count == 10_001)
    #expect(call.isFinished)
    #expect(try stubs.text("/a").count == 10_000)
    let oneByOne = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { _, _ in .max(1) }
    let url = try #require(URL(string: base + "/a"))
    stubs.events(for: URLRequest(url: url)).receive(subscriber: oneByOne)
    #expect(oneByOne.values.count == 10_001)
    #expect(oneByOne.isFinished && oneByOne.keepsContract)
  }

  @Test("Demand from inside a delivery does not deepen the stack")
  func reentrant() throws {
    let pieces = (0..<10_000).map { StubPiece(Data("\($0)".utf8)) }
    let call = TestSubscriber<TransferEvent, any Error>(demand: .max(1)) { subscriber, _ in
      subscriber.request(.max(1))
      return .none
    }
    let url = try #require(URL(string: base + "/a"))
    stubs(pieces).events(for: URLRequest(url: url)).receive(subscriber: call)
    #expect(call.values.count == 10_001)
    #expect(call.keepsContract)
  }

  // MARK: Cancel

  @Test(
    "A cancel ends everything, at any point of the response",
    arguments: zip([0, 1, 2, 3, 4], [0, 0, 1, 2, 2]))
  func cancel(seconds: Int, bytes: Int) throws {
    // Before the head, with the head, at each piece, and in silence.
    let stubs = stubs(
      [.after(.seconds(1), "a"), .after(.seconds(1), "b")], end: .silence, delay: .seconds(1))
    let call = try stubs.pieces("/a")
    scheduler.advance(by: .seconds(seconds))
    let count = call.values.count
    #expect(scheduler.pendingCount == 1)
    call.cancel()
    #expect(scheduler.pendingCount == 0)
    call.request(.unlimited)
    scheduler.advance(by: .seconds(600))
    #expect(call.values.count == count && call.completions.isEmpty)
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
    #expect(stubs.journal.map(\.bodyBytes) == [bytes])
    try stubs.verify()
  }

  @Test("A cancel from inside a delivery is final", arguments: [1, 2])
  func cancelInside(count: Int) throws {
    let stubs = stubs(["a", "b"])
    let call = TestSubscriber<TransferEvent, any Error> { subscriber, _ in
      if subscriber.values.count == count { subscriber.cancel() }
      return .none
    }
    let url = try #require(URL(string: base + "/a"))
    stubs.events(for: URLRequest(url: url)).receive(subscriber: call)
    #expect(call.values.count == count && call.completions.isEmpty)
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A cancel while the response waits for demand is final, too")
  func cancelWaiting() throws {
    let stubs = stubs(["a", "b"])
    let call = try stubs.pieces("/a", demand: .max(2))
    call.cancel()
    call.request(.unlimited)
    #expect(call.texts == ["head 200", "a"])
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("A whole response in pieces can be cancelled at any time", arguments: 0...2)
  func cancelWhole(seconds: Int) throws {
    let stubs = stubs([.after(.seconds(1), "a"), .after(.seconds(1), "b"), .wait(.seconds(1))])
    let call = try stubs.subscriber("/a")
    scheduler.advance(by: .seconds(seconds))
    call.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(60))
    #expect(call.signals.count == 1)
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
    #expect(stubs.journal.map(\.bodyBytes) == [0])
  }

  @Test("The transport keeps nothing after an end or a cancel", arguments: [true, false])
  func released(isCancelled: Bool) throws {
    weak var transport: StubTransport?
    weak var subscriber: TestSubscriber<TransferEvent, any Error>?
    do {
      let stubs = stubs(["a", .after(.seconds(1), "b")])
      let call = try stubs.pieces("/a")
      (transport, subscriber) = (stubs, call)
      if isCancelled { call.cancel() } else { scheduler.advance(by: .seconds(1)) }
      #expect(call.isFinished == !isCancelled)
    }
    #expect(transport == nil)
    #expect(subscriber == nil)
  }
}
