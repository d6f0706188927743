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
    run(answer, behind: nil, range: range, change: change).subscriber
  }

  /// - Parameter tag: The `ETag` of the first response.
  /// - Returns: Also the value of `If-Range` in each request.
  private func run(
    _ answer: StubbedResponse, behind tag: String?,
    range: @escaping @Sendable (Int64) -> String? = { "bytes=\($0)-" },
    change: @escaping @Sendable (URLRequest) -> URLRequest = { $0 }
  ) -> (subscriber: TestSubscriber<TransferEvent, any Error>, conditions: [String?]) {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let headers: HTTPHeaders = tag.map { ["ETag": $0] } ?? [:]
    let script = StubAPIResponse([
      (request, StubbedResponse(headers: headers, pieces: ["ab"], end: .cut)), (request, answer),
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
    return (subscriber, stubs.requests.map { $0.value(forHTTPHeaderField: "If-Range") })
  }

  private func bytes(_ subscriber: TestSubscriber<TransferEvent, any Error>) -> String {
    subscriber.values.reduce(into: "") { text, event in
      if case .chunk(let data) = event { text += String(decoding: data, as: UTF8.self) }
    }
  }

  private func part(_ range: String?, tag: String? = nil) -> StubbedResponse {
    var headers = HTTPHeaders()
    headers["Content-Range"] = range
    headers["ETag"] = tag
    return StubbedResponse(statusCode: 206, headers: headers, pieces: ["cd"])
  }

  @Test("A strong tag of the first response goes with the Range, and its part continues")
  func version() {
    let (subscriber, conditions) = run(part("bytes 2-3/4", tag: "\"a\""), behind: "\"a\"")
    #expect(bytes(subscriber) == "abcd")
    #expect(subscriber.isFinished)
    #expect(conditions == [nil, "\"a\""])
  }

  @Test("A part of another version, or of an unnamed one, is not joined to the first")
  func otherVersion() throws {
    for (tag, words) in [("\"b\"", "another version"), ("W/\"a\"", "another"), (nil, "no ETag")] {
      let subscriber = run(part("bytes 2-3/4", tag: tag), behind: "\"a\"").subscriber
      #expect(bytes(subscriber) == "ab")
      let error = try #require(subscriber.failure as? RESTError)
      #expect(error.kind == .malformedResponse)
      #expect(error.reason.contains(words), "\(error.reason)")
      #expect(error.remedy.hasPrefix("Start again"))
      #expect(error.response?.statusCode == 206)
      #expect(error.log?.events.last?.description == "failed because \(error.reason)")
    }
  }

  @Test("A server that answers an If-Range with another version gives the error of a whole body")
  func wholeOtherVersion() throws {
    let whole = StubbedResponse(headers: ["ETag": "\"b\""], pieces: ["xyz"])
    let subscriber = run(whole, behind: "\"a\"").subscriber
    #expect(bytes(subscriber) == "ab")
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .status(200))
    #expect(error.reason.hasSuffix("which may be another version"))
  }

  @Test("A tag that does not identify bytes is neither sent nor compared")
  func weak() {
    for tag in ["W/\"a\"", "\"\"", "a"] {
      let (subscriber, conditions) = run(part("bytes 2-3/4", tag: "\"b\""), behind: tag)
      #expect(bytes(subscriber) == "abcd")
      #expect(conditions == [nil, nil])
    }
  }

  @Test("An If-Range of the request's own stays")
  func ownCondition() {
    let (subscriber, conditions) = run(
      part("bytes 2-3/4", tag: "\"a\""), behind: "\"a\"",
      change: { $0.settingHeader("If-Range", to: "\"own\"") })
    #expect(bytes(subscriber) == "abcd")
    #expect(conditions == ["\"own\"", "\"own\""])
  }

  @Test("The version is that of the first bytes, also over several breaks and without a first byte")
  func firstBytes() {
    let request = StubRequest(.get, urlString: LiveFeed.url)
    let script = StubAPIResponse(
      [
        (200, "\"old\"", nil, []), (200, "\"a\"", nil, ["ab"]),
        (206, "\"a\"", "bytes 2-3/6", ["cd"]),
        (206, "\"a\"", "bytes 4-5/6", ["ef"]), (206, "\"b\"", "bytes 6-7/8", ["gh"]),
      ].map { (status: Int, tag: String, range: String?, pieces: [StubPiece]) in
        var headers: HTTPHeaders = ["ETag": tag]
        headers["Content-Range"] = range
        return (
          request,
          StubbedResponse(statusCode: status, headers: headers, pieces: pieces, end: .cut)
        )
      })
    let stubs = StubTransport(script ?? StubAPIResponse(request: request), scheduler: scheduler)
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    TestAPI(transport: stubs).events(endpoint: "feed")
      .retry(.unbudgeted(scheduler)) { $0.settingHeader("Range", to: "bytes=\($1)-") }
      .receive(subscriber: subscriber)
    scheduler.run()
    #expect(bytes(subscriber) == "abcdef")
    #expect((subscriber.failure as? RESTError)?.kind == .malformedResponse)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "If-Range") }
        == [nil, nil, "\"a\"", "\"a\"", "\"a\""])
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
