import Fixtures
import Foundation
import RESTKit
import RESTKitReports
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Recorded bodies in pieces", .leakFree)
struct HARPiecesTests {
  private static let url = "https://shop.example/feed"
  private let scheduler = TestScheduler()

  /// An entry with this body, which took this time to receive, in milliseconds.
  private static func har(
    _ body: String, receive: String = "90", status: Int = 200
  ) throws -> HAR {
    let entry = """
      {"request": {"method": "GET", "url": "\(url)"},
       "response": {"status": \(status), "headers": [], "content": {"text": "\(body)"}},
       "timings": {"receive": \(receive)}}
      """
    return try HAR(Data(#"{"log": {"entries": [\#(entry)]}}"#.utf8))
  }

  private func call(
    _ replay: HARReplay, demand: Subscribers.Demand = .unlimited, limit: TimeInterval = 60
  ) throws -> TestSubscriber<TransferEvent, any Error> {
    let call = TestSubscriber<TransferEvent, any Error>(demand: demand)
    var request = URLRequest(url: try #require(URL(string: Self.url)))
    request.timeoutInterval = limit
    replay.events(for: request).receive(subscriber: call)
    return call
  }

  private func chunks(_ call: TestSubscriber<TransferEvent, any Error>) -> [String] {
    call.values.compactMap { event in
      if case .chunk(let chunk) = event { String(decoding: chunk, as: UTF8.self) } else { nil }
    }
  }

  @Test(
    "Pieces of a fixed size come at once; the last has the rest",
    arguments: zip(
      [HARPieces.whole, .bytes(3), .bytes(7), .bytes(.max), .bytes(0)],
      [["abcdefg"], ["abc", "def", "g"], ["abcdefg"], ["abcdefg"], "abcdefg".map { String($0) }]))
  func bytes(pieces: HARPieces, expected: [String]) throws {
    let call = try call(HARReplay(try Self.har("abcdefg"), pieces: pieces, scheduler: scheduler))
    #expect(chunks(call) == expected)
    #expect(call.isFinished)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Pieces spread over the time in which the body was received")
  func time() throws {
    let call = try call(
      HARReplay(
        try Self.har("abcdefg"), pieces: .overReceiveTime(count: 3), scheduler: scheduler))
    #expect(call.values.count == 1 && chunks(call).isEmpty)
    for expected in [["abc"], ["abc", "de"], ["abc", "de", "fg"]] {
      scheduler.advance(by: .milliseconds(29))
      #expect(chunks(call) == expected.dropLast())
      scheduler.advance(by: .milliseconds(1))
      #expect(chunks(call) == expected)
    }
    #expect(call.isFinished)
  }

  @Test("The number of pieces is kept, even if the body does not divide evenly")
  func uneven() throws {
    let call = try call(
      HARReplay(try Self.har("abcdef"), pieces: .overReceiveTime(count: 4), scheduler: scheduler))
    scheduler.run()
    #expect(chunks(call) == ["ab", "cd", "e", "f"])
  }

  @Test(
    "A body with fewer bytes than pieces has a piece for each byte, in the same time",
    arguments: [9, .max])
  func many(count: Int) throws {
    let call = try call(
      HARReplay(try Self.har("ab"), pieces: .overReceiveTime(count: count), scheduler: scheduler))
    scheduler.run()
    #expect(chunks(call) == ["a", "b"])
    #expect(scheduler.now == .milliseconds(90))
  }

  @Test("Without a usable time, the pieces come at once", arguments: ["-1", "null", "1e300"])
  func noTime(receive: String) throws {
    let har = try Self.har("abcd", receive: receive)
    let call = try call(
      HARReplay(har, pieces: .overReceiveTime(count: 2), scheduler: scheduler))
    #expect(chunks(call) == ["ab", "cd"] && call.isFinished)
  }

  @Test("An empty body has no pieces", arguments: [HARPieces.bytes(2), .overReceiveTime(count: 0)])
  func empty(pieces: HARPieces) throws {
    let call = try call(HARReplay(try Self.har(""), pieces: pieces, scheduler: scheduler))
    #expect(call.values.count == 1 && call.isFinished)
  }

  @Test("Pieces follow the demand, and a silence longer than the request's timeout fails")
  func limits() throws {
    let replay = HARReplay(
      try Self.har("abcd", receive: "4000"), pieces: .overReceiveTime(count: 2),
      scheduler: scheduler)
    let patient = try call(replay, demand: .max(2))
    scheduler.run()
    #expect(chunks(patient) == ["ab"] && patient.completions.isEmpty)
    patient.request(.max(1))
    #expect(chunks(patient) == ["ab", "cd"] && patient.isFinished)

    let late = try call(
      HARReplay(
        try Self.har("abcd", receive: "4000"), pieces: .overReceiveTime(count: 2),
        scheduler: scheduler), limit: 1)
    scheduler.run()
    #expect(chunks(late).isEmpty)
    #expect((late.failure as? RESTError)?.kind == .transport(.timedOut))
  }

  @Test("A request without an entry, and a recorded failure, fail in pieces, too")
  func failures() throws {
    let replay = HARReplay(try Self.har("", status: 0), pieces: .bytes(1))
    #expect((try call(replay).failure as? RESTError)?.kind == .transport(.other(code: 0)))
    #expect(try call(replay).failure is HARReplayError)
  }

  @Test("A request with a body reports it as sent, and a whole response is whole")
  func upload() throws {
    let har = try Self.har("abcd")
    let request = URLRequest(url: try #require(URL(string: Self.url)))
    let call = TestSubscriber<TransferEvent, any Error>()
    HARReplay(har, pieces: .bytes(2))
      .events(for: request, body: .data(Data("abc".utf8))).receive(subscriber: call)
    #expect(call.values.count == 4 && chunks(call) == ["ab", "cd"])
    guard case .sent(let progress) = call.values.first else {
      Issue.record("nothing was sent")
      return
    }
    #expect(progress == TransferProgress(completedBytes: 3, totalBytes: 3))
    let whole = TestSubscriber<RESTResponse, any Error>()
    HARReplay(har, pieces: .bytes(2)).response(for: request).receive(subscriber: whole)
    #expect(whole.values.first?.data == Data("abcd".utf8))
  }
}
