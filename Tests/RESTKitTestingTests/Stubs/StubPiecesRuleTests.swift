import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Rules for a stub's body in pieces: times, lengths and other features")
struct StubPiecesRuleTests {
  private let scheduler = TestScheduler()

  private func script(
    _ pieces: [StubPiece], end: BodyEnd = .complete, statusCode: Int = 200,
    headers: HTTPHeaders = [:], delay: Duration = .zero
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(), statusCode: statusCode, headers: headers, pieces: pieces, end: end,
      delay: delay
    ).always()
  }

  private func whole(
    _ stubs: StubTransport, limit: TimeInterval = 60
  ) throws -> TestSubscriber<RESTResponse, any Error> {
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.timeoutInterval = limit
    let call = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: call)
    return call
  }

  // MARK: Whole

  @Test("A whole response arrives with all pieces after the last one and the end")
  func joined() throws {
    let stubs = StubTransport(
      script(
        ["a", .after(.seconds(2), "b"), .wait(.seconds(1))], statusCode: 201, headers: ["X-A": "1"],
        delay: .seconds(1)), scheduler: scheduler)
    let call = try whole(stubs)
    scheduler.advance(by: .milliseconds(3_999))
    #expect(call.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    let response = try #require(call.values.first)
    #expect(response.data == Data("ab".utf8))
    #expect(response.statusCode == 201 && response.headers["X-A"] == "1")
    #expect(call.isFinished)
    #expect(stubs.journal.map(\.outcome) == [.answered(201)])
    #expect(stubs.journal.map(\.bodyBytes) == [2])
  }

  @Test(
    "A whole response fails with its end, and keeps the status",
    arguments: zip(
      [BodyEnd.cut, .reset, .silence],
      [TransportError.Kind.bodyCut, .connectionReset, .timedOut]))
  func failed(end: BodyEnd, kind: TransportError.Kind) throws {
    let stubs = StubTransport(script(["a"], end: end, statusCode: 206), scheduler: scheduler)
    let call = try whole(stubs)
    scheduler.advance(by: .seconds(60))
    let error = try #require(call.failure as? RESTError)
    let fault = try #require(error.underlyingError as? TransportError)
    #expect(error.kind == .transport(kind))
    #expect(fault.mayHaveBeenProcessed && fault.statusCode == 206)
    #expect(stubs.journal.map(\.outcome) == [.failed])
    #expect(stubs.journal.map(\.bodyBytes) == [0])
  }

  // MARK: Time

  @Test("The timeout of a whole response covers all of it")
  func wholeLimit() throws {
    let pieces: [StubPiece] = [.after(.seconds(2), "a"), .after(.seconds(2), "b")]
    for (limit, status) in [(0.5, nil), (2, 200), (4.5, 200)] as [(TimeInterval, Int?)] {
      let stubs = StubTransport(script(pieces, delay: .seconds(1)), scheduler: scheduler)
      let begin = scheduler.now
      let call = try whole(stubs, limit: limit)
      scheduler.run()
      let fault = (call.failure as? RESTError)?.underlyingError as? TransportError
      #expect(fault?.kind == .timedOut && fault?.statusCode == status)
      #expect(scheduler.now - begin == .seconds(limit))
    }
    let stubs = StubTransport(script(pieces, delay: .seconds(1)), scheduler: scheduler)
    let call = try whole(stubs, limit: 5)
    scheduler.run()
    #expect(call.values.count == 1)
  }

  @Test("The timeout of a response in pieces covers each silence, and starts again at each piece")
  func silenceLimit() throws {
    let pieces: [StubPiece] = [
      .after(.seconds(2), "a"), .after(.seconds(1), ""), .after(.seconds(1), "b"),
      .wait(.seconds(2)),
    ]
    let stubs = StubTransport(script(pieces, delay: .seconds(2)), scheduler: scheduler)
    let call = try stubs.pieces("/a", limit: 2)
    scheduler.run()
    #expect(call.texts == ["head 200", "a", "b"] && call.isFinished)
    #expect(scheduler.now == .seconds(8))
  }

  @Test("A silence longer than the timeout fails at the timeout")
  func late() throws {
    let rows: [(delay: Int, a: Int, gap: Int, b: Int, end: Int, texts: [String], time: Int)] = [
      (4, 0, 0, 0, 0, [], 3), (1, 4, 0, 0, 0, ["head 200"], 4),
      (1, 2, 2, 2, 0, ["head 200", "a"], 6), (1, 1, 0, 1, 4, ["head 200", "a", "b"], 6),
    ]
    for row in rows {
      let pieces: [StubPiece] = [
        .after(.seconds(row.a), "a"), .wait(.seconds(row.gap)), .after(.seconds(row.b), "b"),
        .wait(.seconds(row.end)),
      ]
      let stubs = StubTransport(script(pieces, delay: .seconds(row.delay)), scheduler: scheduler)
      let begin = scheduler.now
      let call = try stubs.pieces("/a", limit: 3)
      scheduler.run()
      #expect(call.texts == row.texts)
      #expect(call.fault?.kind == .timedOut)
      #expect(call.fault?.statusCode == (row.texts.isEmpty ? nil : 200))
      #expect(scheduler.now - begin == .seconds(row.time))
    }
  }

  @Test("Silence ends at the request's timeout, or after 60 seconds without one")
  func silence() throws {
    for (limit, time) in [(5, 7), (0, 62)] as [(TimeInterval, Int)] {
      let stubs = StubTransport(
        script([.after(.seconds(2), "a")], end: .silence), scheduler: scheduler)
      let begin = scheduler.now
      let call = try stubs.pieces("/a", limit: limit)
      scheduler.run()
      #expect(call.texts == ["head 200", "a"])
      #expect(call.fault?.kind == .timedOut && call.fault?.statusCode == 200)
      #expect(scheduler.now - begin == .seconds(time))
    }
  }

  @Test("A slow subscriber does not count as a silent server")
  func slowSubscriber() throws {
    let call = try StubTransport(script(["a", "b"]), scheduler: scheduler)
      .pieces("/a", limit: 1, demand: .max(1))
    scheduler.advance(by: .seconds(100))
    call.request(.unlimited)
    #expect(call.texts == ["head 200", "a", "b"] && call.isFinished)
  }

  @Test("A throttled piece arrives with its last byte, and its bytes are not silence")
  func throttled() throws {
    let stubs = StubTransport(
      script(["abcd", .after(.seconds(1), "ef")]).throttled(bytesPerSecond: 2),
      scheduler: scheduler)
    let call = try stubs.pieces("/a", limit: 1.5)
    scheduler.advance(by: .milliseconds(1_999))
    #expect(call.texts == ["head 200"])
    scheduler.advance(by: .milliseconds(1))
    #expect(call.texts == ["head 200", "abcd"])
    scheduler.advance(by: .milliseconds(1_999))
    #expect(call.texts == ["head 200", "abcd"])
    scheduler.advance(by: .milliseconds(1))
    #expect(call.texts == ["head 200", "abcd", "ef"] && call.isFinished)
    let late = try stubs.pieces("/a", limit: 0.4)
    scheduler.run()
    #expect(late.texts == ["head 200"] && late.fault?.kind == .timedOut)
  }

  @Test("The time of a throttled piece's first byte is silence, also if it is the only one")
  func throttledByte() throws {
    for (piece, isLate) in [(StubPiece("a"), true), (StubPiece(""), false)] {
      let stubs = StubTransport(
        script([piece]).throttled(bytesPerSecond: 2), scheduler: scheduler)
      let begin = scheduler.now
      let call = try stubs.pieces("/a", limit: 0.4)
      scheduler.run()
      #expect(call.texts == ["head 200"])
      #expect(call.fault?.kind == (isLate ? .timedOut : nil))
      #expect(scheduler.now - begin == .seconds(isLate ? 0.4 : 0))
    }
  }

  // MARK: Lengths

  @Test("A Content-Length is kept: extra bytes are not sent, and missing ones are a cut body")
  func lengths() throws {
    let rows: [(length: String, end: BodyEnd, texts: [String], kind: TransportError.Kind?)] = [
      ("4", .complete, ["ab", "cd"], nil), ("4", .cut, ["ab", "cd"], nil),
      ("3", .silence, ["ab", "c"], nil), ("2", .reset, ["ab"], nil), ("0", .cut, [], nil),
      ("5", .complete, ["ab", "cd"], .bodyCut), ("5", .cut, ["ab", "cd"], .bodyCut),
      ("5", .reset, ["ab", "cd"], .connectionReset),
    ]
    for row in rows {
      let stubs = StubTransport(
        script(["ab", "cd"], end: row.end, headers: ["Content-Length": row.length]))
      let call = try stubs.pieces("/a")
      #expect(call.texts == ["head 200"] + row.texts, "\(row)")
      #expect(call.fault?.kind == row.kind, "\(row)")
      #expect(call.completions.count == 1, "\(row)")
    }
  }

  @Test(
    "An invalid Content-Length fails the call and the test",
    arguments: [["five"], ["-1"], ["+4"], [""], ["4, 5"], ["99999999999999999999"], ["4", "5"]])
  func noLength(values: [String]) throws {
    var headers = HTTPHeaders()
    for value in values { headers.append(name: "Content-Length", value: value) }
    let stubs = StubTransport(script(["ab", "cd"], headers: headers))
    let call = try stubs.pieces("/a")
    #expect(call.texts.isEmpty)
    let error = try #require(call.failure as? StubError)
    #expect(error.failures.map(\.kind) == [.invalidStub])
    #expect(error.description.contains("Content-Length"))
    #expect(try whole(stubs).failure is StubError)
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("A Transfer-Encoding overrides a length")
  func chunked() throws {
    let headers: HTTPHeaders = ["Transfer-Encoding": "chunked", "Content-Length": "1"]
    let call = try StubTransport(script(["ab"], headers: headers)).pieces("/a")
    #expect(call.texts == ["head 200", "ab"])
  }

  @Test("A response without a body ignores pieces, waits and the end")
  func bodiless() throws {
    for (method, status) in [(.head, 200), (.get, 204), (.get, 304)] as [(HTTPMethod, Int)] {
      let stubs = StubTransport(
        script([.after(.seconds(9), "a")], end: .cut, statusCode: status), scheduler: scheduler)
      let call = try stubs.pieces("/a", method: method)
      #expect(call.texts == ["head \(status)"] && call.isFinished)
    }
  }

  @Test("A response without a body has no faults in it, as on a socket")
  func bodilessFaults() throws {
    for fault in [StubFault.resetInBody, .bodyCut, .chunkCut, .stallInBody] {
      let stubs = StubTransport(StubAPIResponse(request: StubRequest(), result: .fault(fault)))
      let call = try stubs.pieces("/a", method: .head)
      #expect(call.texts == ["head 200"] && call.isFinished, "\(fault)")
    }
  }

  // MARK: Other features

  @Test("A whole body is one chunk, and an empty body none")
  func wholeBody() throws {
    #expect(try StubTransport(.text("abc", for: "/a")).pieces("/a").texts == ["head 200", "abc"])
    #expect(
      try StubTransport(StubAPIResponse(request: .get("/a"))).pieces("/a").texts == ["head 200"])
  }

  @Test("Faults in the body follow the head and half of the body, and other faults come alone")
  func faults() throws {
    for fault in StubFault.allCases {
      let call = try StubTransport(
        StubAPIResponse(request: .get("/a"), result: .fault(fault))
      ).pieces("/a")
      let isInBody = [.resetInBody, .bodyCut, .chunkCut, .stallInBody].contains(fault)
      let isFoundInBody = [
        .undecodableBody, .limitExceeded(.bodyBytes), .limitExceeded(.errorBodyBytes),
        .limitExceeded(.expansionRatio),
      ].contains(fault)
      let isFoundInHead =
        fault == .twoLengths || fault == .resetInHeaders
        || "\(fault)".hasPrefix("limitExceeded(header")
      #expect(call.values.count == (isInBody ? 2 : isFoundInBody ? 1 : 0), "\(fault)")
      let hasStatus = isInBody || isFoundInBody || isFoundInHead
      #expect(call.fault?.statusCode == (hasStatus ? 200 : nil), "\(fault)")
      #expect(call.completions.count == 1)
    }
  }

  @Test("Custom errors, unmatched requests and verifications fail in pieces, too")
  func failures() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/own"), result: .failure(TestFailure()), delay: .seconds(1)),
      script(["a"]).thenVerifyRequest { request in
        if request.url?.lastPathComponent == "bad" { throw TestFailure() }
      }, scheduler: scheduler)
    let own = try stubs.pieces("/own")
    #expect(own.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(own.failure is TestFailure && own.values.isEmpty)
    #expect(try stubs.pieces("/bad").failure is StubError)
    #expect(try stubs.pieces("/good").isFinished)
    #expect(stubs.journal.map(\.outcome) == [.failed, .failed, .answered(200)])
    #expect(try StubTransport().pieces("/none").failure is StubError)
  }

  @Test("A request's body is matched and reported as sent before the response")
  func upload() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest().body(Data("abc".utf8)), pieces: ["ok"]))
    let chunks = ["a", "bc"].map { Data($0.utf8) }.publisher
      .setFailureType(to: (any Error).self)
    let call = TestSubscriber<TransferEvent, any Error>()
    stubs.events(
      for: URLRequest(url: try #require(URL(string: base + "/a"))), body: .chunks(chunks)
    ).receive(subscriber: call)
    #expect(call.texts == ["sent 3", "head 200", "ok"] && call.isFinished)
    try stubs.verify()
  }

  @Test("A script continues after pieces, and its report names their end")
  func sequence() throws {
    let stubs = StubTransport(
      .text("1", for: "/a").thenRespondWith(
        request: .get("/b"), statusCode: 201, pieces: ["2"], end: .cut, delay: .seconds(1)
      )
      .then("3", for: "/c"))
    #expect(try stubs.text("/a") == "1")
    let error = try #require(throws: StubError.self) { try stubs.verify() }
    #expect(error.description.contains("/b → 201 with cut"))
    #expect(try stubs.pieces("/b").texts == ["head 201", "2"])
    #expect(try stubs.text("/c") == "3")
    try stubs.verify()
  }
}
