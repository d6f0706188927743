import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A test says in one place that time is virtual", .virtualTime, .timeLimit(.minutes(10)))
struct VirtualTimeTests {
  private struct API: RESTAPI {
    var baseURL = "https://api.example.com"
    let transport: any Transport
    var retry: RetryPolicy?
    var session: TokenSession?
    var rateLimiter: RateLimiter?
    var cache: HTTPCache?
  }

  private func stub(
    _ status: Int = 200, headers: HTTPHeaders = [:], _ body: String = ""
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), statusCode: status,
      headers: headers, result: .success(Data(body.utf8)))
  }

  private func begin(
    _ call: AnyPublisher<RESTResponse, any Error>
  ) -> TestSubscriber<RESTResponse, any Error> {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    call.subscribe(subscriber)
    return subscriber
  }

  @Test("A test that waits for its own time is told so, and what to write")
  func standstill() async throws {
    let (texts, text) = AsyncStream.makeStream(of: String.self)
    let watch = VirtualTime.Standstill(patience: .milliseconds(1)) { text.yield($0) }
    let report = await VirtualTime.run(report: { _ in }, standstill: watch) { time in
      time.advance(by: .milliseconds(1_500))
      let stubs = StubTransport(stub(503, headers: ["Retry-After": "2"]))
      let call = begin(API(transport: stubs, retry: RetryPolicy()).get(endpoint: "a"))
      defer { call.cancel() }
      return await texts.first { _ in true }
    }
    #expect(
      report?.hasPrefix(
        "This test waits, its virtual time stands at 1.5 s, and work waits for it") == true)
    #expect(report?.contains("testSubscriber()") == true)
  }

  @Test("A retry, a limiter, a deadline and a delayed stub wait for the test")
  func waits() throws {
    let time = try #require(VirtualTime.current)
    let slow = StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), result: .json("{}"),
      delay: .seconds(20))
    let stubs = StubTransport(
      stub(503, headers: ["Retry-After": "2"]), stub(), slow,
      StubAPIResponse(request: .init(.get, urlString: "https://api.example.com/b")), stub())
    var api = API(transport: stubs, retry: RetryPolicy(baseDelay: .zero))
    let first = begin(api.get(endpoint: "a"))
    time.advance(by: .milliseconds(1_999))
    #expect(stubs.requests.count == 1)
    time.advance(by: .milliseconds(1))
    #expect(first.values.map(\.statusCode) == [200])
    let second = begin(api.get(endpoint: "a").call(deadline: .after(.seconds(10))))
    time.advance(by: .seconds(9))
    #expect(second.completion == nil)
    time.advance(by: .seconds(1))
    #expect(second.failure != nil)
    api.rateLimiter = RateLimiter(1, per: .seconds(30))
    _ = begin(api.get(endpoint: "b"))
    let third = begin(api.get(endpoint: "a"))
    time.advance(by: .seconds(29))
    #expect(third.completion == nil)
    time.advance(by: .seconds(1))
    #expect(third.values.count == 1)
  }

  @Test("A session's tokens expire by the test's date, and so do a cache's responses")
  func dates() throws {
    let time = try #require(VirtualTime.current)
    #expect(time.date == Date(timeIntervalSince1970: 1_767_225_600))
    let refresh = StubAPIResponse(
      request: .init(.post, urlString: "https://api.example.com/auth/refresh"),
      result: .json(#"{"accessToken": "fresh", "expiresIn": 60}"#))
    let stubs = StubTransport(
      stub(headers: ["Cache-Control": "max-age=120"], "one"), refresh, stub(),
      StubAPIResponse(request: .init(.get, urlString: "https://api.example.com/b")))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://api.example.com", transport: stubs))
    try session.signIn(
      Credential(
        accessToken: "old", refreshToken: "r", issuedAt: time.date, expiresAt: time.date + 300))
    let api = API(transport: stubs, session: session, cache: HTTPCache())
    _ = begin(api.get(endpoint: "a"))
    time.advance(by: .seconds(119))
    _ = begin(api.get(endpoint: "a"))
    #expect(stubs.requests.count == 1)
    time.advance(by: .seconds(181))
    let last = begin(api.get(endpoint: "a"))
    #expect(last.values.count == 1)
    #expect(stubs.requests.count == 3)
    #expect(stubs.requests.last?.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
    _ = begin(api.get(endpoint: "b"))
  }

  @Test("A refresh that gets no response ends at its time limit")
  func refreshTimeout() throws {
    let time = try #require(VirtualTime.current)
    let session = TokenSession(
      grant: ClosureGrant { _ in Empty<TokenResponse, any Error>(completeImmediately: false) })
    try session.signIn(
      Credential(accessToken: "old", refreshToken: "r", expiresAt: time.date - 1))
    let call = begin(API(transport: StubTransport(), session: session).get(endpoint: "a"))
    time.advance(by: .seconds(29))
    #expect(call.completion == nil)
    time.advance(by: .seconds(1))
    #expect(call.completion != nil)
  }

  @Test("Each test has its own time, tasks have it, and outside of a test there is none")
  func scope() async throws {
    let time = try #require(VirtualTime.current)
    #expect(time.scheduler.now == .zero)
    #expect(await Task { VirtualTime.current?.scheduler === time.scheduler }.value)
    let elsewhere = await Task.detached { VirtualTime.current == nil }.value
    #expect(elsewhere)
    let start = Date(timeIntervalSince1970: 7)
    let inner = await VirtualTime.run(from: start) { inner in
      await Task.yield()
      inner.advance(by: .milliseconds(1_500))
      return inner.date
    }
    #expect(inner == start + 1.5)
    #expect(VirtualTime.run { $0.date } == VirtualTime.defaultStart)
    #expect(VirtualTime.current?.scheduler === time.scheduler)
  }

  @Test("A date of its own", .virtualTime(from: Date(timeIntervalSince1970: 60)))
  func ownDate() throws {
    #expect(VirtualTime.current?.date == Date(timeIntervalSince1970: 60))
    #expect(RetryPolicy().wallClock() == Date(timeIntervalSince1970: 60))
  }

  @Test("A type of an app has the test's time by default, and the system's outside of a test")
  func standard() async throws {
    let time = try #require(VirtualTime.current)
    #expect(StandardTime.scheduler(else: .immediate) as? TestScheduler === time.scheduler)
    time.advance(by: .seconds(3))
    #expect(StandardTime.wallClock()() == time.date)
    #expect(StandardTime.generator() is SeededGenerator)
    await Task.detached {
      #expect(StandardTime.scheduler(else: .immediate) is ImmediateScheduler)
      #expect(StandardTime.scheduler() is ClockScheduler<ContinuousClock>)
      #expect(StandardTime.generator() is SystemRandomNumberGenerator)
      #expect(StandardTime.wallClock()() > VirtualTime.defaultStart)
    }.value
  }

  @Test("The seed decides on the jitter", .virtualTime(seed: 9))
  func seed() {
    var (first, second) = (StandardTime.generator(), RetryPolicy().generator)
    #expect(first.next() == second.next())
    var other = VirtualTime.run { _ in StandardTime.generator() }
    var same = VirtualTime.run(seed: 9) { _ in StandardTime.generator() }
    var fresh = StandardTime.generator()
    let value = same.next()
    #expect(fresh.next() == value)
    #expect(other.next() != value)
  }
}
