import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("RT-09: bodies of retried requests", .timeLimit(.minutes(10)))
struct RetryTransferTests {
  /// A file that is gone after the test.
  private func withFile(_ text: String, _ body: (URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try body(file)
  }

  private func upload(
    _ body: RequestBody, over transport: ScriptedTransport, on scheduler: TestScheduler
  ) -> TestSubscriber<UploadEvent, any Error> {
    let subscriber = TestSubscriber<UploadEvent, any Error>()
    TestAPI(transport: transport).upload(.put, endpoint: "a", body: body)
      .retry(.test(scheduler)).receive(subscriber: subscriber)
    return subscriber
  }

  private func response(_ subscriber: TestSubscriber<UploadEvent, any Error>) -> RESTResponse? {
    guard case .response(let response) = subscriber.values.last else { return nil }
    return response
  }

  @Test("A file is read anew for each attempt, with its current content")
  func file() throws {
    try withFile("one") { file in
      let scheduler = TestScheduler()
      let transport = ScriptedTransport(.status(503), .status(201), on: scheduler)
      let subscriber = upload(.file(file), over: transport, on: scheduler)
      try Data("three".utf8).write(to: file)
      scheduler.run()
      #expect(response(subscriber)?.statusCode == 201)
      #expect(transport.requests.map(\.httpBody) == [Data("one".utf8), Data("three".utf8)])
    }
  }

  @Test("Data and replayable chunks are sent again")
  func replayable() {
    let chunks = ["a", "b"].publisher.map { Data($0.utf8) }.setFailureType(to: (any Error).self)
    for body in [.data(Data("ab".utf8)), RequestBody.chunks(chunks, isReplayable: true)] {
      let scheduler = TestScheduler()
      let transport = ScriptedTransport(.status(503), .status(201), on: scheduler)
      let subscriber = upload(body, over: transport, on: scheduler)
      scheduler.run()
      #expect(response(subscriber)?.statusCode == 201)
      #expect(transport.requests.map(\.httpBody) == [Data("ab".utf8), Data("ab".utf8)])
    }
  }

  @Test("One-shot chunks are not sent again; the response is delivered, and the log says why")
  func once() throws {
    let chunks = Just(Data("a".utf8)).setFailureType(to: (any Error).self)
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), .status(201), on: scheduler)
    let subscriber = upload(.chunks(chunks), over: transport, on: scheduler)
    scheduler.run()
    let last = try #require(response(subscriber))
    #expect(last.statusCode == 503)
    #expect(transport.requests.count == 1)
    let reasons = last.journal?.log.events.compactMap { event in
      if case .notRetried(let reason) = event.kind { reason } else { nil }
    }
    #expect(reasons?.first?.contains("isReplayable: true") == true)
  }

  @Test(
    "On the wire each attempt has its whole body and its length", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try MockServer { MockResponse(status: $0.index == 0 ? 503 : 201) }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let policy = RetryPolicy(maxDelay: .zero, totalTime: nil, scheduler: .immediate)
    let body = Data(repeating: 7, count: 100_000)
    let response = try await api.put(endpoint: "a", body: .data(body)).retry(policy).value
    #expect(response.statusCode == 201)
    #expect(server.requests.map(\.body) == [body, body])
    #expect(server.requests.map { $0.value(for: "Content-Length") } == ["100000", "100000"])
  }

  @Test("A truncated download resumes by itself")
  func download() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .fault(.bodyCut), .status(503, ["Retry-After": "1"]), .status(200, body: Data("x".utf8)),
      on: scheduler, taking: .seconds(5))
    let subscriber = TestSubscriber<DownloadEvent, any Error>()
    let file = folder.appending(path: "f")
    // No attempt is cut, however little time they are given.
    TestAPI(transport: transport).download(endpoint: "a", to: file)
      .retry(.test(scheduler) { $0.attemptTimeout = .seconds(1) }).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.isFinished)
    #expect(try Data(contentsOf: file) == Data("x".utf8))
    #expect(transport.times == [.zero, .milliseconds(5_500), .milliseconds(12_500)])
  }
}
