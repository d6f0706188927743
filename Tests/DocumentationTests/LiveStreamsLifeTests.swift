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

  @Test("A log continues at the byte where it broke, in the middle of a line")
  func tail() {
    let stubs = StubTransport(
      StubAPIResponse(request: request("log"), pieces: ["one\ntw"], end: .reset)
        .thenRespondWith(request: request("log"), statusCode: 503)
        .thenRespondWith(
          request: request("log"), statusCode: 206, headers: ["Content-Range": "bytes 6-13/14"],
          pieces: ["o\nthree\n"]),
      scheduler: scheduler)
    let lines = TestSubscriber<String, any Error>()
    LiveStreamsLives(api: API(transport: stubs)).tail(retrying: policy).receive(subscriber: lines)
    scheduler.run()
    #expect(lines.values == ["one", "two", "three"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Range") } == [nil, "bytes=6-", "bytes=6-"])
    #expect(
      stubs.requests.allSatisfy { $0.value(forHTTPHeaderField: "Accept-Encoding") == "identity" })
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
}
