import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A recording plays pieces, failures and cancels as recorded", .timeLimit(.minutes(10)))
struct RecordingPiecesTests {
  /// Takes events one at a time, and lets the server send the next piece when the one before it has
  /// come.
  private func texts(
    _ transport: any Transport, _ url: URL, count: Int = .max, opening gates: [MockGate] = []
  ) async throws -> [String] {
    var texts: [String] = []
    for try await event in transport.events(for: longRequest(url)).values {
      if case .sent = event { continue }
      texts.append(event.text)
      if texts.count > 1, texts.count - 2 < gates.count { gates[texts.count - 2].open() }
      if texts.count == count { break }
    }
    return texts
  }

  /// Returns a request that a machine under load does not let time out.
  private func longRequest(_ url: URL) -> URLRequest {
    URLRequest(url: url, timeoutInterval: 3_600)
  }

  @Test("A body in pieces plays in the same pieces, with placeholders for its secrets")
  func pieces() async throws {
    let gates = [MockGate(), MockGate()]
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 200, headers: [("Content-Type", "text/event-stream")],
        delivery: .pieces([
          "data: {\"access_token\": \"event-canary\"}\n\n", .when(gates[0], "data: b\n"),
          .when(gates[1], "\ndata: see event-canary\n\n"),
        ]))
    }
    let recorder = try bench.recorder()
    let recorded = try await texts(recorder, bench.url("/feed"), opening: gates)
    #expect(recorded.count == 4)
    try recorder.verify()
    #expect(try !bench.text.contains("canary"))

    let player = try bench.player()
    let played = try await texts(player, bench.url("/feed"))
    #expect(played == recorded.map { $0.replacing("event-canary", with: "secret-1AAAA") })
    #expect(player.journal.map(\.outcome) == [.answered(200)])
    try player.verify()
  }

  @Test("The waits between pieces pass on the transport's scheduler")
  func waits() async throws {
    let clock = TestScheduler()
    let bench = try RecordingBench { _ in MockResponse(status: 500) }
    let source = StubTransport(
      StubAPIResponse(
        request: .get("/feed"), pieces: ["a", .after(.seconds(2), "b"), .after(.seconds(3), "c")]),
      scheduler: clock)
    let recorder = try StubTransport.record(
      RecordingFile(bench.file.path, besides: ""), over: source, mode: .always,
      names: RecordedNames(), bodyLimit: 10, scheduler: .immediate,
      clock: RecordingClock(scheduler: clock), location: StubLocation())
    let live = try recorder.pieces("/feed")
    clock.advance(by: .seconds(5))
    #expect(live.texts == ["head 200", "a", "b", "c"])
    try recorder.verify()

    let time = TestScheduler()
    let feed = try bench.player(scheduler: time).pieces("/feed")
    #expect(feed.texts == ["head 200", "a"])
    time.advance(by: .seconds(2))
    #expect(feed.texts == ["head 200", "a", "b"])
    time.advance(by: .seconds(3))
    #expect(feed.texts == ["head 200", "a", "b", "c"])
    #expect(feed.completion != nil)
  }

  @Test("A live stream that was cancelled plays its pieces and then stays silent until a cancel")
  func cancelled() async throws {
    let never = MockGate()
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 200, delivery: .pieces(["data: a\n\n", .when(never, "data: b\n\n")]))
    }
    let recorder = try bench.recorder()
    #expect(try await texts(recorder, bench.url("/feed"), count: 2) == ["head 200", "data: a\n\n"])
    try recorder.verify()

    let player = try bench.player()
    let feed = TestSubscriber<TransferEvent, any Error>()
    player.events(for: longRequest(try bench.url("/feed"))).receive(subscriber: feed)
    #expect(feed.texts == ["head 200", "data: a\n\n"])
    #expect(feed.completion == nil)
    feed.cancel()
    #expect(player.journal.map(\.outcome) == [.cancelled])
    try player.verify()

    let time = TestScheduler()
    let patient = TestSubscriber<TransferEvent, any Error>()
    let other = try bench.player(scheduler: time)
    other.events(for: URLRequest(url: try bench.url("/feed"))).receive(subscriber: patient)
    time.advance(by: .seconds(120))
    #expect(patient.fault?.kind == .timedOut)
  }

  @Test("A call that was cancelled before its response stays silent until a cancel")
  func cancelledCall() throws {
    let source = StubTransport(
      StubAPIResponse(request: .get("/a"), delay: .seconds(9)), scheduler: TestScheduler())
    let bench = try RecordingBench { _ in MockResponse(status: 500) }
    let recorder = try StubTransport.record(to: bench.file.path, over: source, mode: .always)
    try recorder.subscriber("/a").cancel()
    try recorder.verify()
    let player = try bench.player()
    let call = try player.subscriber("/a")
    #expect(call.completion == nil)
    call.cancel()
    try player.verify()
  }

  @Test(
    "A failure is played as the same failure",
    arguments: [
      StubFault.connectionRefused, .stall, .closedBeforeResponse, .resetInBody, .bodyCut,
      .stallInBody, .malformedStatusLine,
    ])
  func failures(fault: StubFault) throws {
    let script = StubAPIResponse(request: .get("/a"), result: .fault(fault))
    let bench = try RecordingBench { _ in MockResponse(status: 500) }
    let recorder = try StubTransport.record(
      to: bench.file.path, over: StubTransport(script, script), mode: .always)
    let call = try recorder.subscriber("/a").failure as? RESTError
    let pieces = try recorder.pieces("/a")
    #expect(call != nil && pieces.fault != nil)
    try recorder.verify()

    let player = try bench.player()
    let playedCall = try player.subscriber("/a").failure as? RESTError
    let playedPieces = try player.pieces("/a")
    #expect(playedCall?.kind == call?.kind)
    #expect(
      playedCall?.underlyingError as? TransportError == call?.underlyingError as? TransportError)
    #expect(playedPieces.fault == pieces.fault)
    #expect(playedPieces.texts == pieces.texts)
    try player.verify()
  }
}
