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

@Suite(
  "The token of a live stream is sent only to its origin, and only once per refusal", .leakFree)
struct StreamTokenTests {
  private static let moved = "https://live.example.com/feed"

  private let feed = LiveFeed([])
  private let get = StubRequest(.get, urlString: LiveFeed.url)
  private let post = StubRequest(.post, urlString: LiveFeed.url)

  /// A server that goes by a script.
  private func stubs(_ answers: [(StubRequest, StubbedResponse)]) -> StubTransport {
    StubTransport(
      StubAPIResponse(answers.map { (request: $0.0, answer: $0.1) })
        ?? StubAPIResponse(request: get), scheduler: feed.scheduler)
  }

  /// An API whose session has the token t0; its refreshes bring t1, t2 and so on.
  private func api(_ stubs: StubTransport, redirects: RedirectPolicy = .follow) -> TestAPI {
    let count = Counter()
    let session = TokenSession(
      grant: ClosureGrant { _ in
        count.add()
        return Just(TokenResponse(accessToken: "t\(count.value)", refreshToken: "r"))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: feed.scheduler)
    return TestAPI(
      transport: stubs, redirects: redirects, secretHeaders: ["X-Own-Secret"], session: session)
  }

  private func follow(
    _ api: TestAPI, _ method: HTTPMethod = .get, body: RequestBody? = nil,
    requestModifier: @escaping RequestModifier = { $0 }
  ) {
    api.serverSentEvents(
      method, endpoint: "feed", body: body, reconnecting: feed.policy,
      requestModifier: requestModifier
    ).receive(subscriber: feed.subscriber)
    feed.scheduler.advance(by: .seconds(60))
  }

  private func sent(_ name: String, by stubs: StubTransport) -> [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: name) }
  }

  // MARK: Redirects

  @Test("No secret of a stream goes to another origin on any connection")
  func otherOrigin() throws {
    let away = StubbedResponse(statusCode: 302, headers: ["Location": Self.moved])
    let there = StubRequest(.get, urlString: Self.moved)
    let stubs = stubs([
      (get, away), (there, .events("id: 1\ndata: a\n\n", end: .cut)), (get, .status(401)),
      (get, away), (there, .events("data: b\n\n", end: .silence)),
    ])
    follow(api(stubs)) {
      $0.adding("Cookie", "c").adding("X-Api-Key", "k").adding("X-Own-Secret", "s")
    }
    #expect(feed.data == ["a", "b"])
    #expect(
      sent("Authorization", by: stubs) == ["Bearer t0", nil, "Bearer t0", "Bearer t1", nil])
    for name in ["Cookie", "X-Api-Key", "X-Own-Secret"] {
      #expect(sent(name, by: stubs).map { $0 == nil } == [false, true, false, false, true])
    }
    #expect(sent("Last-Event-ID", by: stubs) == [nil, nil, "1", "1", "1"])
    feed.subscriber.cancel()
    try stubs.verify()
  }

  @Test("A stream that is redirected within its origin keeps its token")
  func sameOrigin() throws {
    let there = StubRequest(.get, urlString: "https://api.example.com/v2/feed")
    let stubs = stubs([
      (get, StubbedResponse(statusCode: 308, headers: ["Location": "/v2/feed"])),
      (there, .events("data: a\n\n", end: .silence)),
    ])
    follow(api(stubs))
    #expect(feed.data == ["a"])
    #expect(sent("Authorization", by: stubs) == ["Bearer t0", "Bearer t0"])
    feed.subscriber.cancel()
  }

  @Test("With redirects disabled, a redirect fails the stream at once")
  func notFollowed() {
    let stubs = stubs([(get, StubbedResponse(statusCode: 307, headers: ["Location": Self.moved]))])
    follow(api(stubs, redirects: .never))
    #expect(feed.error?.kind == .status(307))
    #expect(stubs.requests.count == 1)
  }

  // MARK: A POST

  @Test("A refused POST is sent once more, with the new token and its whole body")
  func refusedPost() throws {
    let prompt = post.jsonBody(#"{"prompt": "a"}"#)
    let stubs = stubs([
      (prompt.header("Authorization", "Bearer t0"), .status(401)),
      (prompt.header("Authorization", "Bearer t1"), .events("data: a\n\n")),
    ])
    follow(api(stubs), .post, body: .json(["prompt": "a"]))
    #expect(feed.data == ["a"])
    #expect(feed.subscriber.isFinished)
    try stubs.verify()
  }

  @Test("A POST whose new token is refused, too, fails")
  func refusedTwice() {
    let stubs = stubs([(post, .status(401)), (post, .status(401))])
    follow(api(stubs), .post, body: .json(["prompt": "a"]))
    #expect(feed.error?.kind == .status(401))
    #expect(sent("Authorization", by: stubs) == ["Bearer t0", "Bearer t1"])
  }

  @Test("A POST with a one-shot body is not sent again after a 401")
  func spentBody() {
    let stubs = stubs([(post, .status(401))])
    let chunks = [Data("a".utf8)].publisher.setFailureType(to: (any Error).self)
    follow(api(stubs), .post, body: .chunks(chunks))
    #expect(feed.data.isEmpty)
    #expect(feed.subscriber.failure != nil)
    #expect(stubs.requests.count == 1)
  }

  // MARK: Behind a retry

  @Test("A stream that resumes after a value uses the current token")
  func resumedBehindValue() throws {
    let stubs = stubs([
      (get.header("Authorization", "Bearer t0"), StubbedResponse(pieces: ["1\n2\n3"], end: .cut)),
      (get.header("Authorization", "Bearer t0").header("After", "2"), .status(401)),
      (
        get.header("Authorization", "Bearer t1").header("After", "2"),
        StubbedResponse(pieces: ["3\n"], end: .reset)
      ),
      (get.header("Authorization", "Bearer t1").header("After", "3"), .status(401)),
      (
        get.header("Authorization", "Bearer t2").header("After", "3"),
        StubbedResponse(pieces: ["4\n"])
      ),
    ])
    let numbers = TestSubscriber<Int, any Error>()
    api(stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(.unbudgeted(feed.scheduler)) { request, last in
        request.settingHeader("After", to: "\(last)")
      }
      .receive(subscriber: numbers)
    feed.scheduler.run()
    #expect(numbers.values == [1, 2, 3, 4])
    #expect(numbers.isFinished)
    try stubs.verify()
  }

  // MARK: Not as it should be yet

  @Test("A token that expires while the server is busy is refreshed, too")
  func expiryInOutage() {
    let stubs = stubs([
      (get.header("Authorization", "Bearer t0"), .status(401)),
      (get.header("Authorization", "Bearer t1"), .status(503)),
      (get.header("Authorization", "Bearer t1"), .status(401)),
      (get.header("Authorization", "Bearer t2"), .events("data: a\n\n", end: .silence)),
    ])
    follow(api(stubs))
    #expect(feed.data == ["a"])
    feed.subscriber.cancel()
  }
}
