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

@Suite("A watch goes on from the last value, whenever its server ends the response", .leakFree)
struct WatchTests {
  @Test("Ends, breaks and refusals for a while lead to the next request, behind the last value")
  func watch() {
    let file = GrowingFile([
      .file(nil, "1\n2\n"), .file(nil), .file(nil, "3\n4", end: .cut), .status(503),
      .file(nil, "4\n"), .status(410),
    ])
    let subscriber = TestSubscriber<Int, any Error>()
    file.events.decodeLines(of: Int.self)
      .follow(file.policy) { request, last in request.settingHeader("After", to: "\(last)") }
      .receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(file.field("After") == [nil, "2", "2", "3", "3", "4"])
    #expect(file.times.all == (0...5).map { .seconds(3 * $0) })
    let error = subscriber.failure as? RESTError
    #expect(error?.kind == .status(410))
    #expect(error?.attempts == 6)
  }

  @Test("Without a first value, the request is the same again")
  func noValue() {
    let file = GrowingFile([.file(nil), .file(nil, "1\n"), .status(404)])
    let subscriber = TestSubscriber<Int, any Error>()
    file.events.decodeLines(of: Int.self)
      .follow(file.policy) { request, last, head in
        request.settingHeader("After", to: "\(last) \(head.statusCode)")
      }
      .receive(subscriber: subscriber)
    file.scheduler.run()
    #expect(subscriber.values == [1])
    #expect(file.field("After") == [nil, nil, "1 200"])
  }

  @Test("Thousands of ends in a row are a loop, and spend no budget")
  func many() throws {
    let ends = 2_000
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let stubs = StubTransport(StubAPIResponse(request: request, pieces: ["1\n"]).always())
    let budget = RetryBudget(burst: 1)
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .follow(ReconnectPolicy(retry: RetryPolicy(budget: budget, scheduler: .immediate))) {
        request, _ in request
      }
      .prefix(ends).receive(subscriber: subscriber)
    #expect(subscriber.values.count == ends)
    #expect(subscriber.isFinished)
    #expect(budget.remaining(for: try #require(URL(string: LiveFeed.url))) == 1)
  }

  @Test("Each expiry between the responses has its refresh")
  func tokens() {
    let scheduler = TestScheduler()
    func request(_ token: String) -> StubRequest {
      StubRequest(.get, urlString: LiveFeed.url).header("Authorization", "Bearer \(token)")
    }
    let script = StubAPIResponse([
      (request("t0"), .file(nil, "1\n")), (request("t0"), .status(401)),
      (request("t1"), .file(nil, "2\n")), (request("t1"), .status(401)),
      (request("t2"), .file(nil, "3\n", end: .silence)),
    ])
    let stubs = StubTransport(
      script ?? StubAPIResponse(request: request("t0")), scheduler: scheduler)
    let count = Lock(0)
    let session = TokenSession(
      grant: ClosureGrant { _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        return Just(TokenResponse(accessToken: "t\(number)", refreshToken: "r"))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    let subscriber = TestSubscriber<Int, any Error>()
    session.authorize(
      TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
        .follow(ReconnectPolicy(maxDelay: .seconds(3), retry: .unbudgeted(scheduler))) {
          request, _ in request
        }
    ).receive(subscriber: subscriber)
    scheduler.advance(by: .seconds(6))
    #expect(subscriber.values == [1, 2, 3])
    subscriber.cancel()
  }
}
