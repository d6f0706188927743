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

@Suite("The limits of an endpoint's JSON lines", .leakFree)
struct JSONLinesTests {
  private struct Numbers: Endpoint {
    typealias Response = JSONLines<Int>
    var path: ResourcePath { "feed" }
  }

  private struct Sequence: Endpoint {
    typealias Response = JSONTextSequence<Int>
    var path: ResourcePath { "feed" }
  }

  private let scheduler = TestScheduler()

  private func api(
    _ pieces: [StubPiece], status: Int = 200, end: BodyEnd = .complete, delay: Duration = .zero
  ) -> TestAPI {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), statusCode: status, pieces: pieces,
        end: end, delay: delay), scheduler: scheduler)
    return TestAPI(transport: stubs, retry: .unbudgeted(scheduler))
  }

  private func follow(
    _ elements: AnyPublisher<Int, any Error>, demand: Subscribers.Demand = .unlimited,
    until time: Duration
  ) -> TestSubscriber<Int, any Error> {
    let subscriber = TestSubscriber<Int, any Error>(demand: demand)
    elements.receive(subscriber: subscriber)
    scheduler.advance(by: time)
    return subscriber
  }

  private let twoMinutes: RequestModifier = { request in
    var request = request
    request.timeoutInterval = 120
    return request
  }

  // MARK: Time

  @Test("Between two lines the server may be silent for a day", arguments: [200, 299])
  func silence(status: Int) {
    let api = api(["1\n", .after(.seconds(86_400), "2\n")], status: status)
    let subscriber = follow(api.publisher(for: Numbers()), until: .seconds(86_400))
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
    #expect(scheduler.pendingCount == 0)
    let sequence = self.api(["\u{1E}1\n", .after(.seconds(86_400), "\u{1E}2\n")])
    let records = follow(sequence.publisher(for: Sequence()), until: .seconds(86_400))
    #expect(records.values == [1, 2])
    #expect(records.isFinished)
  }

  @Test("A head that takes longer than 60 s fails the stream, and the error says what allows more")
  func lateHead() throws {
    let api = api(["1\n"], delay: .seconds(61))
    let early = follow(api.publisher(for: Numbers()), until: .seconds(59))
    #expect(early.failure == nil)
    scheduler.advance(by: .seconds(1))
    let error = try #require(early.failure as? RESTError)
    #expect(error.kind == .timedOut)
    #expect(error.reason.contains("no response in 60 s"))
    #expect(error.reason.contains("timeoutInterval"))
    #expect(error.request?.method == .get)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "A modifier's timeoutInterval limits each silence instead, before the head and between lines")
  func ownLimit() {
    let late = api(["1\n", .after(.seconds(119), "2\n")], delay: .seconds(119))
    let subscriber = follow(
      late.publisher(for: Numbers(), requestModifier: twoMinutes), until: .seconds(238))
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
    let silent = api(["1\n"], end: .silence)
    let failing = follow(
      silent.publisher(for: Numbers(), requestModifier: twoMinutes), until: .seconds(120))
    #expect(failing.values == [1])
    #expect((failing.failure as? RESTError)?.kind == .timedOut)
  }

  @Test("Without demand no time is measured")
  func noDemand() {
    let api = api(["1\n"], delay: .seconds(61))
    let subscriber = follow(api.publisher(for: Numbers()), demand: .none, until: .seconds(600))
    #expect(subscriber.failure == nil)
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1])
    #expect(subscriber.isFinished)
  }

  @Test(
    "A refused response that becomes silent fails with its status and what came",
    arguments: [300, 503])
  func refused(status: Int) throws {
    let api = api(["bu"], status: status, end: .silence)
    let subscriber = follow(api.publisher(for: Numbers()), until: .seconds(60))
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .status(status))
    #expect(error.body == Data("bu".utf8))
  }

  @Test("A cancel before the head and between lines leaves no timer")
  func cancel() {
    for delay in [Duration.seconds(30), .zero] {
      let api = api(["1\n"], end: .silence, delay: delay)
      let subscriber = follow(api.publisher(for: Numbers()), until: .seconds(10))
      subscriber.cancel()
      #expect(scheduler.pendingCount == 0)
    }
  }

  // MARK: Size

  private func tooLong(_ subscriber: TestSubscriber<Int, any Error>, limit: Int) throws -> RESTError
  {
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .malformedResponse)
    let fault = try #require(error.underlyingError as? LineError)
    #expect(fault.kind == .tooLong(limit: limit))
    #expect(fault.line == 2)
    #expect(error.request?.method == .get)
    #expect(error.remedy.contains("`limit`"))
    return error
  }

  @Test("A line or record beyond the limit fails with a LineError, before its end has come")
  func limit() throws {
    let lines = api(["1234\n", "12345"], end: .silence)
    let line = follow(lines.publisher(for: Numbers(), limit: 4), until: .zero)
    #expect(line.values == [1_234])
    #expect(
      try tooLong(line, limit: 4).reason == "line 2 of the body is longer than the limit of 4 bytes"
    )
    let records = api(["\u{1E}123\n", "\u{1E}12345"], end: .silence)
    let record = follow(records.publisher(for: Sequence(), limit: 4), until: .zero)
    #expect(record.values == [123])
    #expect(
      try tooLong(record, limit: 4).reason
        == "record 2 of the body is longer than the limit of 4 bytes")
  }

  @Test("By default a line has at most 1 MiB, as for lines()")
  func defaultLimit() throws {
    let most = "1" + String(repeating: " ", count: 1 << 20 - 1)
    let line = follow(
      api([StubPiece(Data("\(most)\n\(most) \n".utf8))]).publisher(for: Numbers()), until: .zero)
    #expect(line.values == [1])
    _ = try tooLong(line, limit: 1 << 20)
    let record = follow(
      api([StubPiece(Data("\u{1E}\(most.dropLast())\n\u{1E}\(most)\n".utf8))])
        .publisher(for: Sequence()), until: .zero)
    #expect(record.values == [1])
    _ = try tooLong(record, limit: 1 << 20)
  }

  // MARK: Loops

  @Test("A loop in a cancelled task throws, so that half a response does not look whole")
  func cancelledLoop() async throws {
    let first = Gate()
    let api = api(["1\n"], end: .silence)
    let task = Task {
      var numbers: [Int] = []
      for try await number in api.values(for: Numbers()) {
        numbers.append(number)
        first.open()
      }
      return numbers
    }
    await first.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Opens once.
  private struct Gate: Sendable {
    private let opened = AsyncStream.makeStream(of: Void.self)

    func open() { opened.continuation.finish() }

    func wait() async { for await _ in opened.stream {} }
  }
}
