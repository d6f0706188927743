import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Several servers, and exchanges in pieces", .leakFree)
struct FailoverPiecesTests {
  private static let servers = ["https://a.example.com", "https://b.example.com"]

  private func api(
    _ stubs: StubTransport, on scheduler: TestScheduler, answerTimeout: Duration? = nil
  ) throws -> TestAPI {
    TestAPI(
      baseURL: Self.servers[0],
      transport: try FailoverTransport(
        stubs, servers: Self.servers, answerTimeout: answerTimeout, scheduler: scheduler))
  }

  private func stub(
    _ server: Int, _ path: String = "feed", _ result: Result<Data, any Error> = .json("[]"),
    status: Int = 200
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(.get, urlString: "\(Self.servers[server])/\(path)"), statusCode: status,
      result: result)
  }

  @Test("Before its head a stream goes on to the next server")
  func beforeHead() throws {
    for first in [stub(0, "feed", .fault(.connectionRefused)), stub(0, status: 503)] {
      let stubs = StubTransport(first, stub(1))
      let events = TestSubscriber<TransferEvent, any Error>()
      try api(stubs, on: TestScheduler()).events(endpoint: "feed").receive(subscriber: events)
      #expect(events.isFinished)
      let heads = events.values.compactMap { if case .head(let head) = $0 { head } else { nil } }
      #expect(heads.map(\.statusCode) == [200])
      #expect(heads.first?.url.host == "a.example.com")
      try stubs.verify()
    }
  }

  @Test("A stream that breaks behind its head is over, and the next one begins at another server")
  func behindHead() throws {
    let stubs = StubTransport(stub(0, "feed", .fault(.resetInBody)), stub(1))
    let api = try api(stubs, on: TestScheduler())
    for isFirst in [true, false] {
      let events = TestSubscriber<TransferEvent, any Error>()
      api.events(endpoint: "feed").receive(subscriber: events)
      #expect((events.failure != nil) == isFirst)
      #expect(events.isFinished == !isFirst)
    }
    try stubs.verify()
  }

  @Test("A stream whose server sends no head in time goes on to the next server")
  func silent() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(stub(0, "feed", .fault(.timedOut)), stub(1))
    let events = TestSubscriber<TransferEvent, any Error>()
    try api(stubs, on: scheduler, answerTimeout: .seconds(2)).events(endpoint: "feed")
      .receive(subscriber: events)
    scheduler.run()
    #expect(events.isFinished)
  }

  @Test(
    "A body that can be sent once is sent to one server; another one to the next",
    arguments: [true, false])
  func bodies(isReplayable: Bool) throws {
    let scheduler = TestScheduler()
    let inner = ScriptedTransport(on: scheduler) { number, _ in
      number == 1 ? .fault(.connectionReset) : .status(200)
    }
    let transport = try FailoverTransport(inner, servers: Self.servers, scheduler: scheduler)
    let body = RequestBody.chunks(
      Just(Data("x".utf8)).setFailureType(to: (any Error).self), isReplayable: isReplayable)
    let upload = TestSubscriber<UploadEvent, any Error>()
    TestAPI(baseURL: Self.servers[0], transport: transport).upload(.put, endpoint: "a", body: body)
      .receive(subscriber: upload)
    scheduler.run()
    #expect(inner.requests.count == (isReplayable ? 2 : 1))
  }
}
