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

@Suite("Retries of a response in pieces", .leakFree)
struct RetryStreamTests {
  private let scheduler = TestScheduler()

  /// Each part begins behind what the responses before it brought.
  private func stubs(_ answers: [(status: Int, pieces: [StubPiece], end: BodyEnd)]) -> StubTransport
  {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    var ranges = ["bytes 2-9/10", "bytes 3-9/10", "bytes 4-9/10", "bytes 5-9/10"][...]
    let script = StubAPIResponse(
      answers.map { status, pieces, end in
        var headers = HTTPHeaders()
        if status == 206 { headers["Content-Range"] = ranges.popFirst() }
        return (
          request, StubbedResponse(statusCode: status, headers: headers, pieces: pieces, end: end)
        )
      })
    return StubTransport(script ?? StubAPIResponse(request: request), scheduler: scheduler)
  }

  private func texts(_ events: [TransferEvent]) -> [String] {
    events.map { event in
      switch event {
      case .sent: "sent"
      case .head(let head): "\(head.statusCode)"
      case .chunk(let data): String(decoding: data, as: UTF8.self)
      }
    }
  }

  private var policy: RetryPolicy {
    var policy = RetryPolicy.unbudgeted(scheduler)
    policy.maxDelay = .zero
    return policy
  }

  @Test("A status that means not now, and a break before the first chunk, are retried")
  func nothingDelivered() {
    let stubs = stubs([(503, ["busy"], .complete), (200, [], .cut), (200, ["a"], .complete)])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").retry(policy).receive(subscriber: subscriber)
    scheduler.run()
    #expect(texts(subscriber.values) == ["200", "200", "a"])
    #expect(subscriber.isFinished)
  }

  @Test(
    "A delivered refusal keeps its body: a break in it neither repeats the request nor hides it",
    arguments: [304, 400, 404, 416])
  func settled(status: Int) {
    let stubs = stubs([(status, ["{"], .reset), (200, ["a"], .complete)])
    let events = TestAPI(transport: stubs).events(endpoint: "feed")
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    events.retry(policy) { request, _ in request }.validateStatus().receive(subscriber: subscriber)
    scheduler.run()
    #expect((subscriber.failure as? RESTError)?.kind == .status(status))
    #expect(subscriber.values.isEmpty)
    #expect(stubs.requests.count == 1)
  }

  @Test("A refusal whose body is cut is not requested again before its Retry-After")
  func cutRefusal() throws {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let busy = StubbedResponse(
      statusCode: 503, headers: ["Retry-After": "90"], pieces: ["busy"], end: .cut)
    for isFollowed in [false, true] {
      let script = StubAPIResponse([(request, busy)])?.always()
      let stubs = StubTransport(script ?? StubAPIResponse(request: request), scheduler: scheduler)
      let events = TestAPI(transport: stubs).events(endpoint: "feed")
      var following = ReconnectPolicy(retry: policy)
      following.maxRetryAfter = .seconds(60)
      let repeated =
        isFollowed ? events.follow(following) { request, _ in request } : events.retry(policy)
      let subscriber = TestSubscriber<TransferEvent, any Error>()
      repeated.validateStatus().receive(subscriber: subscriber)
      scheduler.run()
      #expect(stubs.requests.count == 1)
      let error = try #require(subscriber.failure as? RESTError)
      #expect(error.kind == .status(503))
      #expect(error.body == Data("busy".utf8))
    }
  }

  @Test("A break after the first chunk fails, and the log says why")
  func delivered() throws {
    let stubs = stubs([(200, ["a"], .cut)])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").retry(policy).receive(subscriber: subscriber)
    scheduler.run()
    #expect(texts(subscriber.values) == ["200", "a"])
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .transport(.bodyCut))
    #expect(error.log?.description.contains("retry(_:resume:)") == true)
  }

  @Test("With an offset, the stream resumes at the byte of each break")
  func offset() {
    let stubs = stubs([
      (200, ["ab"], .cut), (206, ["c"], .reset), (206, ["d"], .cut), (206, ["e"], .cut),
      (206, ["f"], .complete),
    ])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed")
      .retry(policy) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(
      texts(subscriber.values)
        == ["200", "ab", "206", "c", "206", "d", "206", "e", "206", "f"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Range") }
        == [nil, "bytes=2-", "bytes=3-", "bytes=4-", "bytes=5-"])
    #expect(subscriber.isFinished)
  }

  @Test("The body of an error counts neither for the offset nor as progress")
  func errorBody() {
    let stubs = stubs([(200, ["ab"], .cut), (503, ["busy"], .cut), (206, ["c"], .complete)])
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed")
      .retry(policy) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .validateStatus()
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(texts(subscriber.values) == ["200", "ab", "206", "c"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Range") } == [nil, "bytes=2-", "bytes=2-"])
    #expect(subscriber.isFinished)
  }

  @Test("With a cursor, lines resume after the last delivered one")
  func cursor() {
    let stubs = stubs([
      (200, ["1\n2\n", "3"], .cut), (503, [], .complete), (200, ["3\n4\n"], .complete),
    ])
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(policy) { request, last in request.settingHeader("After", to: "\(last)") }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "After") } == [nil, "2", "2"])
    #expect(subscriber.isFinished)
  }

  @Test("Any status of success without a part is the whole content, and no other status is")
  func wholeContent() {
    for status in [200, 203, 299, 300] {
      let stubs = stubs([(200, ["a"], .cut), (status, ["b"], .complete)])
      let subscriber = TestSubscriber<TransferEvent, any Error>()
      TestAPI(transport: stubs).events(endpoint: "feed")
        .retry(policy) { request, offset in
          request.settingHeader("Range", to: "bytes=\(offset)-")
        }
        .receive(subscriber: subscriber)
      scheduler.run()
      #expect(subscriber.isFinished == (status == 300))
      #expect(
        texts(subscriber.values) == (status == 300 ? ["200", "a", "300", "b"] : ["200", "a"]))
    }
  }

  @Test("A stream that goes on after each of many breaks spends no budget of the calls")
  func budget() throws {
    let breaks = 40
    let broken = (1...breaks).map { number in
      (status: 200, pieces: [StubPiece(Data("\(number)\n".utf8))], end: BodyEnd.reset)
    }
    let stubs = stubs(broken + [(200, ["0\n"], .complete)])
    var policy = policy
    let budget = RetryBudget(burst: 3)
    policy.budget = budget
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(policy) { request, _ in request }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.values == Array(1...breaks) + [0])
    #expect(subscriber.isFinished)
    let host = try #require(URL(string: LiveFeed.url))
    #expect(budget.remaining(for: host) == 3)
  }

  @Test("A stream whose connections bring nothing ends when its budget is spent")
  func spentBudget() throws {
    let stubs = stubs(Array(repeating: (503, [], .complete), count: 9))
    var policy = policy
    policy.maxAttempts = 9
    policy.budget = RetryBudget(burst: 2)
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(policy) { request, _ in request }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(stubs.requests.count == 3)
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.log?.description.contains("RetryBudget") == true)
  }

  @Test("An error that the closure throws ends the stream")
  func throwing() {
    let stubs = stubs([(200, ["1\n"], .cut)])
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(policy) { _, _ in throw TestFailure() }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.failure is TestFailure)
    #expect(stubs.requests.count == 1)
  }

  @Test("Attempts without progress are counted")
  func attempts() {
    let stubs = stubs([(200, ["1\n"], .cut), (503, [], .complete), (503, [], .complete)])
    let subscriber = TestSubscriber<Int, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed").decodeLines(of: Int.self)
      .retry(policy) { request, _ in request }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect((subscriber.failure as? RESTError)?.kind == .status(503))
    #expect(stubs.requests.count == 3)
  }
}
