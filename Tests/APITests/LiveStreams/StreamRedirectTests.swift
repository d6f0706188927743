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

@Suite("A live stream's redirects, waits and tokens", .leakFree)
struct StreamRedirectTests {
  private static let moved = "https://live.example.com/feed"

  @Test("Each connection is redirected anew, with the last id, and no secret at another origin")
  func redirects() throws {
    let first = StubRequest(.get, urlString: LiveFeed.url)
    let second = StubRequest(.get, urlString: Self.moved)
    let scheduler = TestScheduler()
    let to = StubbedResponse(statusCode: 307, headers: ["Location": Self.moved])
    let script = StubAPIResponse([
      (first, to), (second, .events("id: 1\ndata: a\n\n")), (first, to),
      (second, .events("data: b\n\n", end: .silence)),
    ])
    let stubs = StubTransport(try #require(script), scheduler: scheduler)
    let events = TestSubscriber<ServerSentEvent, any Error>()
    TestAPI(transport: stubs).serverSentEvents(
      endpoint: "feed",
      reconnecting: ReconnectPolicy(maxDelay: .seconds(3), retry: .unbudgeted(scheduler))
    ) { $0.addingBearerAuthorization(token: "t").settingHeader("X-Plain", to: "p") }
    .receive(subscriber: events)
    scheduler.advance(by: .seconds(3))
    #expect(events.values.map(\.data) == ["a", "b"])
    func sent(_ name: String) -> [String?] {
      stubs.requests.map { $0.value(forHTTPHeaderField: name) }
    }
    #expect(sent("Last-Event-ID") == [nil, nil, "1", "1"])
    #expect(sent("Authorization") == ["Bearer t", nil, "Bearer t", nil])
    #expect(sent("X-Plain") == ["p", "p", "p", "p"])
    #expect(sent("Accept") == Array(repeating: "text/event-stream", count: 4))
    events.cancel()
  }

  /// When the connections of a stream begin that bring nothing, in milliseconds.
  private func begins(seed: UInt64) -> [Int] {
    let feed = LiveFeed([.status(503)], isLasting: true) { policy in
      policy = ReconnectPolicy(
        delay: .milliseconds(100), maxDelay: .seconds(5), retry: policy.retry)
      policy.retry?.generator = SeededGenerator(seed: seed)
    }
    feed.begin()
    var begins: [Int] = []
    for millisecond in 0..<20_000 {
      while begins.count < feed.stubs.requests.count { begins.append(millisecond) }
      feed.scheduler.advance(by: .milliseconds(1))
    }
    feed.subscriber.cancel()
    return begins
  }

  @Test("The policy's own generator decides the waits, which grow to the maximum")
  func generator() {
    let one = begins(seed: 1)
    #expect(one == begins(seed: 1))
    #expect(one != begins(seed: 2))
    let waits = zip(one.dropFirst(), one).map { $0 - $1 }
    #expect(waits.count > 4)
    for (failures, wait) in waits.enumerated() {
      #expect(wait >= 100)
      #expect(wait <= min(5_000, 100 + 100 << (failures + 1)) + 1)
    }
  }

  @Test("A response that resumes at an offset uses the current token")
  func resumedWithAnotherToken() {
    let scheduler = TestScheduler()
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let part: HTTPHeaders = ["Content-Range": "bytes 2-3/4"]
    let script = StubAPIResponse([
      (request.header("Authorization", "Bearer t0"), StubbedResponse(pieces: ["ab"], end: .cut)),
      (request.header("Authorization", "Bearer t0"), .status(401)),
      (
        request.header("Authorization", "Bearer t1").header("Range", "bytes=2-"),
        StubbedResponse(statusCode: 206, headers: part, pieces: ["cd"])
      ),
    ])
    let stubs = StubTransport(script ?? StubAPIResponse(request: request), scheduler: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(TokenResponse(accessToken: "t1", refreshToken: "r"))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    let body = TestSubscriber<Data, any Error>()
    session.authorize(TestAPI(transport: stubs).events(endpoint: "feed"))
      .retry(.unbudgeted(scheduler)) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .compactMap { event in if case .chunk(let chunk) = event { chunk } else { nil } }
      .receive(subscriber: body)
    scheduler.run()
    #expect(body.values.reduce(Data(), +) == Data("abcd".utf8))
    #expect(body.isFinished)
  }
}
