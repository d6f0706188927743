import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A closure sees the head of each response, before its values", .leakFree)
struct HandleHeadTests {
  private let log = ValueLog<String>()

  private func noting(_ head: ResponseHead) {
    log.add("\(head.statusCode) \(head.headers["Session"] ?? "-")")
  }

  private func answer(_ session: String, _ pieces: StubPiece...) -> StubbedResponse {
    StubbedResponse(headers: ["Session": session], pieces: pieces)
  }

  @Test("Lines, JSON lines, events, a whole response and a download of any status")
  func outputs() {
    let log = log
    func run<Value: Sendable>(
      _ name: String, _ piece: StubPiece,
      _ pipeline: (GrowingFile) -> AnyPublisher<Value, any Error>
    ) -> [String] {
      let file = GrowingFile([answer(name, piece)])
      let subscriber = TestSubscriber<Value, any Error>()
      pipeline(file).handleHead(noting)
        .handleEvents(receiveOutput: { log.add("\($0)") }).receive(subscriber: subscriber)
      file.scheduler.run()
      #expect(subscriber.isFinished)
      return log.all.suffix(2)
    }
    #expect(run("a", "one\n") { $0.events.lines() } == ["200 a", "one"])
    #expect(run("b", "1\n") { $0.events.decodeLines(of: Int.self) } == ["200 b", "1"])
    #expect(
      run("c", "data: x\n\n") {
        $0.events.serverSentEvents().map(\.data).eraseToAnyPublisher()
      } == ["200 c", "x"])
    #expect(
      run("d", "2") { file in
        file.api.get(endpoint: "feed").decode(type: Int.self).eraseToAnyPublisher()
      } == ["200 d", "2"])
    #expect(
      run("e", "2") { file in
        file.api.upload(.get, endpoint: "feed", body: .data(Data())).compactMap(\.response)
          .map { "\($0.statusCode)" }.eraseToAnyPublisher()
      } == ["200 e", "200"])
  }

  @Test("A live stream shows the head of each connection before its events")
  func connections() {
    let log = log
    let feed = LiveFeed([
      StubbedResponse(
        headers: ["Content-Type": "text/event-stream", "Session": "1"], pieces: ["data: a\n\n"]),
      .status(503),
      StubbedResponse(
        headers: ["Content-Type": "text/event-stream", "Session": "2"], pieces: ["data: b\n\n"]),
      .status(204),
    ])
    feed.api.serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
      .handleHead(noting).handleEvents(receiveOutput: { log.add($0.data) })
      .receive(subscriber: feed.subscriber)
    feed.scheduler.run()
    #expect(log.all == ["200 1", "a", "503 -", "200 2", "b", "204 -"])
  }

  @Test("A closure that throws refuses the response, and the exchange ends")
  func refused() {
    let file = GrowingFile([
      StubbedResponse(headers: ["Session": "a"], pieces: ["one\n"], end: .silence)
    ])
    let subscriber = TestSubscriber<String, any Error>()
    file.events.lines().handleHead { _ in throw TestFailure() }.receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.failure is TestFailure)
    #expect(subscriber.values.isEmpty)
    #expect(file.stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("The closure nearest to the verb runs first")
  func order() {
    let log = log
    let file = GrowingFile([answer("a", "one")])
    let subscriber = TestSubscriber<String, any Error>()
    file.events.handleHead { _ in log.add("inner") }.lines().handleHead { _ in log.add("outer") }
      .receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(log.all == ["inner", "outer"])
  }

  @Test("Redirects and a response whose token is renewed are not seen")
  func held() {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let stubs = StubTransport(
      StubAPIResponse(request: request, statusCode: 401)
        .thenRespondWith(request: request, statusCode: 302, headers: ["Location": LiveFeed.url])
        .thenRespondWith(request: request, headers: ["Session": "a"], pieces: ["one"]))
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "old", refreshToken: "r")))
    let subscriber = TestSubscriber<String, any Error>()
    session.authorize(TestAPI(transport: stubs).events(endpoint: "feed")).lines()
      .handleHead(noting).receive(subscriber: subscriber)
    #expect(subscriber.values == ["one"])
    #expect(log.all == ["200 a"])
  }
}
