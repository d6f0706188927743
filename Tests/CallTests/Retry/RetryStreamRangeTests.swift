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

@Suite("A stream that resumes at a byte refuses a response for another place", .leakFree)
struct RetryStreamRangeTests {
  private let scheduler = TestScheduler()

  /// Two bytes and a break, and what a response to a request behind them brings.
  private func run(
    _ answer: StubbedResponse, range: @escaping @Sendable (Int64) -> String? = { "bytes=\($0)-" },
    change: @escaping @Sendable (URLRequest) -> URLRequest = { $0 }
  ) -> TestSubscriber<TransferEvent, any Error> {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let script = StubAPIResponse([
      (request, StubbedResponse(pieces: ["ab"], end: .cut)), (request, answer),
    ])
    let stubs = StubTransport(script ?? StubAPIResponse(request: request), scheduler: scheduler)
    var policy = RetryPolicy.unbudgeted(scheduler)
    policy.maxDelay = .zero
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed", requestModifier: change)
      .retry(policy) { request, offset in
        range(offset).map { request.settingHeader("Range", to: $0) } ?? request
      }
      .receive(subscriber: subscriber)
    scheduler.run()
    return subscriber
  }

  private func bytes(_ subscriber: TestSubscriber<TransferEvent, any Error>) -> String {
    subscriber.values.reduce(into: "") { text, event in
      if case .chunk(let data) = event { text += String(decoding: data, as: UTF8.self) }
    }
  }

  private func part(_ range: String?) -> StubbedResponse {
    StubbedResponse(
      statusCode: 206, headers: range.map { ["Content-Range": $0] } ?? [:], pieces: ["cd"])
  }

  @Test("A whole body in place of a part fails, and the error says so", arguments: [200, 203])
  func whole(status: Int) throws {
    let subscriber = run(StubbedResponse(statusCode: status, pieces: ["abcd"]))
    #expect(bytes(subscriber) == "ab")
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .status(status))
    #expect(error.reason.contains("Range"))
    #expect(error.request?.method == .get)
    #expect(error.response?.statusCode == status)
    #expect(error.attempts == 2)
    let log = error.log?.events.map(\.description) ?? []
    #expect(log.contains("failed because \(error.reason)"))
  }

  @Test("The requested part continues the stream", arguments: ["bytes 2-3/4", "bytes 2-3/*"])
  func asked(range: String) {
    let subscriber = run(part(range))
    #expect(bytes(subscriber) == "abcd")
    #expect(subscriber.isFinished)
  }

  @Test(
    "A part with another start, or without one, fails",
    arguments: ["bytes 1-2/4", "bytes 3-3/4", "bytes 0-3/4", "items 2-3/4", "bytes */4", "", nil])
  func elsewhere(range: String?) throws {
    let subscriber = run(part(range))
    #expect(bytes(subscriber) == "ab")
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .malformedResponse)
    #expect(error.reason.contains("byte 2"))
    #expect(error.response?.statusCode == 206)
  }

  @Test("A stream that resumes in another way accepts a 200, even with a Range of its own")
  func otherWay() {
    let subscriber = run(StubbedResponse(pieces: ["cd"]), range: { _ in nil }) {
      $0.settingHeader("Range", to: "bytes=5-")
    }
    #expect(bytes(subscriber) == "abcd")
    #expect(subscriber.isFinished)
  }

  @Test("A range in other units, of last bytes or of several parts has no known start")
  func otherUnits() {
    for range in ["items=2-", "bytes=-2", "bytes=2-2,3-3"] {
      let subscriber = run(part("items 2-3/4"), range: { _ in range })
      #expect(bytes(subscriber) == "abcd", "\(range)")
    }
  }

  @Test("A whole body answers a range from the first byte on")
  func beginning() {
    let subscriber = run(StubbedResponse(pieces: ["cd"]), range: { _ in "bytes=0-" })
    #expect(bytes(subscriber) == "abcd")
  }

  @Test("An empty rest and a failed response pass unchanged", arguments: [204, 416])
  func other(status: Int) {
    let subscriber = run(StubbedResponse(statusCode: status))
    #expect(bytes(subscriber) == "ab")
    #expect(subscriber.isFinished)
  }
}
