import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The streams of Docs/LiveStreams.md behave as the guide says", .leakFree)
struct LiveStreamsLifeTests {
  private struct API: RESTAPI {
    let baseURL = "https://api.example.com"
    let transport: any Transport
    var retry: RetryPolicy?
    var session: TokenSession?
  }

  private let scheduler = TestScheduler()
  private let type: HTTPHeaders = ["Content-Type": "text/event-stream"]

  private func request(_ path: String, _ method: HTTPMethod = .get) -> StubRequest {
    StubRequest(method, urlString: "https://api.example.com/\(path)")
  }

  private var policy: RetryPolicy {
    var policy = RetryPolicy(budget: nil, scheduler: scheduler)
    policy.maxDelay = .zero
    return policy
  }

  @Test("A response arrives word by word, and a cancel stops it midway")
  func chat() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("chat", .post), headers: type,
        pieces: [
          "data: Once\n\n", .after(.seconds(1), "data: upon\n\n"),
          .after(.seconds(1), "data: a time\n\n"),
        ]), scheduler: scheduler)
    let words = TestSubscriber<String, any Error>()
    LiveStreamsLives(api: API(transport: stubs, retry: policy)).words(to: "A story")
      .receive(subscriber: words)
    scheduler.advance(by: .milliseconds(1_500))
    words.cancel()
    scheduler.run()
    #expect(words.values == ["Once", "upon"])
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("An export continues at the byte where it broke, in the middle of a line")
  func export() {
    let stubs = StubTransport(
      StubAPIResponse(request: request("export.csv"), pieces: ["one\ntw"], end: .reset)
        .thenRespondWith(request: request("export.csv"), statusCode: 503)
        .thenRespondWith(
          request: request("export.csv"), statusCode: 206,
          headers: ["Content-Range": "bytes 6-13/14"], pieces: ["o\nthree\n"]),
      scheduler: scheduler)
    let lines = TestSubscriber<String, any Error>()
    LiveStreamsLives(api: API(transport: stubs)).export(retrying: policy).receive(subscriber: lines)
    scheduler.run()
    #expect(lines.values == ["one", "two", "three"])
    #expect(lines.isFinished)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Range") } == [nil, "bytes=6-", "bytes=6-"])
    #expect(
      stubs.requests.allSatisfy { $0.value(forHTTPHeaderField: "Accept-Encoding") == "identity" })
  }

  @Test("A tail lives on over the end of the file, a break, and a rotation to a shorter file")
  func tail() {
    let log = request("log")
    let stubs = StubTransport(
      StubAPIResponse(request: log, headers: ["ETag": "\"6\""], pieces: ["one\ntw"])
        .thenRespondWith(request: log, statusCode: 416, headers: ["Content-Range": "bytes */6"])
        .thenRespondWith(
          request: log, statusCode: 206,
          headers: ["ETag": "\"14\"", "Content-Range": "bytes 6-13/14"],
          pieces: ["o\nthree\nha"], end: .reset
        )
        .thenRespondWith(request: log, statusCode: 416, headers: ["Content-Range": "bytes */4"])
        .thenRespondWith(request: log, headers: ["ETag": "\"4\""], pieces: ["new\n"])
        .thenRespondWith(request: log, statusCode: 416, headers: ["Content-Range": "bytes */4"]),
      scheduler: scheduler)
    let lines = TestSubscriber<String, any Error>()
    LiveStreamsLives(api: API(transport: stubs))
      .tail(ReconnectPolicy(maxDelay: .seconds(3), retry: policy)).receive(subscriber: lines)
    scheduler.advance(by: .seconds(15))
    #expect(lines.values == ["one", "two", "three", "new"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Range") }
        == [nil, "bytes=6-", "bytes=6-", "bytes=16-", nil, "bytes=4-"])
    lines.cancel()
  }

  @Test("A watch goes on behind the last row, after an end and after a break")
  func watch() {
    func request(_ query: String) -> StubRequest {
      StubRequest(.get, urlString: "https://api.example.com/rows?watch=true\(query)")
    }
    func row(_ id: Int) -> StubPiece { StubPiece(Data(#"{"id":\#(id),"name":"a"}\#n"#.utf8)) }
    let stubs = StubTransport(
      StubAPIResponse(request: request(""), pieces: [row(1), row(2)])
        .thenRespondWith(request: request("&after=2"), pieces: [row(3), #"{"id":"#], end: .reset)
        .thenRespondWith(request: request("&after=3"), pieces: [row(4)], end: .silence),
      scheduler: scheduler)
    let rows = TestSubscriber<LiveStreamsExamples.Row, any Error>()
    LiveStreamsLives(api: API(transport: stubs))
      .watch(ReconnectPolicy(maxDelay: .seconds(3), retry: policy)).receive(subscriber: rows)
    scheduler.advance(by: .seconds(6))
    #expect(rows.values.map(\.id) == [1, 2, 3, 4])
    rows.cancel()
  }

  @Test("A cursor has the last row and the head of its response")
  func cursor() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("rows"), headers: ["Generation": "g"],
        pieces: [#"{"id":1,"name":"a"}"#, "\n"], end: .cut
      )
      .thenRespondWith(request: request("rows").header("After", "g/1"), pieces: []),
      scheduler: scheduler)
    let rows = TestSubscriber<LiveStreamsExamples.Row, any Error>()
    LiveStreamsLives(api: API(transport: stubs)).pages(retrying: policy).receive(subscriber: rows)
    scheduler.run()
    #expect(rows.values.map(\.id) == [1])
    #expect(rows.isFinished)
  }

  @Test("A question is answered with a text or with events, and the session's id comes first")
  func messages() {
    for (type, text) in [
      ("application/json", #"{"id":1,"name":"a"}"#),
      ("text/event-stream", "data: {\"id\":1,\"name\":\"a\"}\n\n"),
    ] {
      let stubs = StubTransport(
        StubAPIResponse(
          request: request("mcp", .post), headers: ["Content-Type": type, "Mcp-Session-Id": "s"],
          pieces: [StubPiece(Data(text.utf8))]))
      let ids = Lock<[String?]>([])
      let rows = TestSubscriber<LiveStreamsExamples.Row, any Error>()
      LiveStreamsLives(api: API(transport: stubs)).rows(for: "Who?") { id in
        ids.withLock { $0.append(id) }
      }
      .receive(subscriber: rows)
      #expect(rows.values.map(\.id) == [1])
      #expect(ids.withLock { $0 } == ["s"])
    }
  }

  @Test("A feed survives a server restart and an expired token")
  func feed() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("feed"), headers: type, pieces: ["id: 1\ndata: a\n\n"], end: .reset
      )
      .thenRespondWith(request: request("feed"), statusCode: 503)
      .thenRespondWith(request: request("feed"), statusCode: 401)
      .thenRespondWith(
        request: request("feed").header("Authorization", "Bearer new"), headers: type,
        pieces: ["data: b\n\n"], end: .silence), scheduler: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "new")).setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "old", refreshToken: "r")),
      scheduler: scheduler)
    let events = TestSubscriber<ServerSentEvent, any Error>()
    LiveStreamsLives(api: API(transport: stubs, retry: policy, session: session)).feed()
      .receive(subscriber: events)
    scheduler.advance(by: .seconds(6))
    #expect(events.values.map(\.data) == ["a", "b"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Last-Event-ID") } == [nil, "1", "1", "1"])
    events.cancel()
  }

  @Test("A poll that is merged with the sign-outs fails with their cause, and its request ends")
  func pollCause() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("news"), result: .json(#"{"next": "1"}"#), delay: .seconds(30)),
      scheduler: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0")),
      scheduler: scheduler)
    let news = TestSubscriber<LiveStreamsLives.News, any Error>()
    LiveStreamsLives(api: API(transport: stubs, session: session)).news(of: session)
      .receive(subscriber: news)
    scheduler.advance(by: .seconds(1))
    #expect(stubs.requests.count == 1)
    try session.signOut()
    scheduler.advance()
    let failure = try #require(news.failure as? LiveStreamsLives.SignedOut)
    guard case .requested = failure.cause else { throw failure }
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }
}
