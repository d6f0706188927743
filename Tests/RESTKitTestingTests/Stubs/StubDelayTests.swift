import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-07: Delays of a stub's response")
struct StubDelayTests {
  private func delayed(
    _ delay: Duration, result: Result<Data, any Error> = .json("1")
  ) -> StubAPIResponse {
    StubAPIResponse(request: .get("/a"), result: result, delay: delay)
  }

  @Test("The response comes after the delay on the transport's scheduler, and not before")
  func virtualTime() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(59)), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    scheduler.advance(by: .milliseconds(58_999))
    #expect(subscriber.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(subscriber.values.count == 1)
    #expect(subscriber.isFinished)
    try stubs.verify()
  }

  @Test("A failure is delayed, too")
  func failure() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      delayed(.seconds(1), result: .failure(TestFailure())), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    #expect(subscriber.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(subscriber.failure as? TestFailure == TestFailure())
  }

  @Test("A fault is delayed if the request has no timeout")
  func unlimitedFault() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      delayed(.seconds(1), result: .fault(.connectionRefused)), scheduler: scheduler)
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.timeoutInterval = .infinity
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: subscriber)
    scheduler.advance(by: .milliseconds(999))
    #expect(subscriber.completions.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect((subscriber.failure as? RESTError)?.kind == .transport(.connectionRefused))
  }

  @Test("By default delays pass at once")
  func immediate() throws {
    #expect(try StubTransport(delayed(.seconds(59))).text("/a") == "1")
  }

  @Test("A delay of zero or less needs no scheduler", arguments: [Duration.zero, .seconds(-1)])
  func none(delay: Duration) throws {
    let scheduler = TestScheduler()
    #expect(try StubTransport(delayed(delay), scheduler: scheduler).text("/a") == "1")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A request without a matching stub fails without a delay")
  func unmatched() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(1)), scheduler: scheduler)
    #expect(try stubs.subscriber("/b").failure is StubError)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A cancel during the delay cancels the work, and the stub counts as used")
  func cancel() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(1)), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    #expect(scheduler.pendingCount == 1)
    subscriber.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(2))
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions.isEmpty)
    try stubs.verify()
  }

  @Test("Delays of several requests run at the same time")
  func sideBySide() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/slow"), delay: .seconds(2)),
      StubAPIResponse(request: .get("/fast"), delay: .seconds(1)), scheduler: scheduler)
    let slow = try stubs.subscriber("/slow")
    let fast = try stubs.subscriber("/fast")
    scheduler.advance(by: .seconds(1))
    #expect(fast.isFinished)
    #expect(slow.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(slow.isFinished)
  }

  @Test("A response after the request's timeout does not arrive, and the exchange fails then")
  func late() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(61)), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    scheduler.advance(by: .milliseconds(59_999))
    #expect(subscriber.failure == nil)
    scheduler.advance(by: .milliseconds(1))
    #expect((subscriber.failure as? RESTError)?.kind == .transport(.timedOut))
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A fault after the request's timeout is a timeout, too")
  func lateFault() throws {
    let stubs = StubTransport(
      delayed(.seconds(61), result: .fault(.connectionRefused)), delayed(.seconds(59)),
      delayed(.seconds(59), result: .fault(.connectionRefused)))
    #expect((try stubs.subscriber("/a").failure as? RESTError)?.kind == .transport(.timedOut))
    #expect(try stubs.text("/a") == "1")
    #expect(
      (try stubs.subscriber("/a").failure as? RESTError)?.kind == .transport(.connectionRefused))
  }

  @Test(
    "Over a socket, too, a delay passes before a fault that comes before the request",
    arguments: [StubFault.hostNotFound, .connectionRefused, .notTLS])
  func beforeConnection(fault: StubFault) async throws {
    let script = delayed(.milliseconds(400), result: .fault(fault)).repeats(2)
    let stubs = try StubTransport(script, over: URLSessionTransport())
    let request = URLRequest(url: try #require(URL(string: base + "/a")))
    let clock = ContinuousClock()
    let begin = clock.now
    let whole = await stubs.failure(of: request, isInPieces: false)
    #expect(clock.now - begin >= .milliseconds(400))
    #expect(whole?.transportKind == fault.kind)
    let middle = clock.now
    let pieces = await stubs.failure(of: request, isInPieces: true)
    #expect(clock.now - middle >= .milliseconds(400))
    #expect(pieces?.transportKind == fault.kind)
    #expect(stubs.journal.map(\.outcome) == [.failed, .failed])
  }

  @Test("Over a socket, too, a fault after the request's timeout is a timeout")
  func lateFaultOverSocket() async throws {
    let script = delayed(.seconds(600), result: .fault(.connectionRefused)).repeats(2)
    let stubs = try StubTransport(script, over: URLSessionTransport())
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.timeoutInterval = 0.05
    let whole = await stubs.failure(of: request, isInPieces: false)
    #expect(whole?.kind == .transport(.timedOut))
    let pieces = await stubs.failure(of: request, isInPieces: true)
    #expect(pieces?.kind == .transport(.timedOut))
  }

  @Test("Over a socket, too, a cancel during such a delay is the end")
  func canceledOverSocket() throws {
    let script = delayed(.seconds(600), result: .fault(.connectionRefused))
    let stubs = try StubTransport(script, over: URLSessionTransport())
    let request = URLRequest(url: try #require(URL(string: base + "/a")))
    stubs.response(for: request)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("A throttled body takes its time, byte by byte")
  func throttled() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      delayed(.seconds(1), result: .json("12345678")).throttled(bytesPerSecond: 4),
      scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    scheduler.advance(by: .milliseconds(2_999))
    #expect(subscriber.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(subscriber.values.first?.data == Data("12345678".utf8))
  }

  @Test("ST-12: A stall ends at the request's timeout, and at once without a scheduler")
  func stall() throws {
    let scheduler = TestScheduler()
    let script = delayed(.zero, result: .fault(.stall))
    let subscriber = try StubTransport(script, scheduler: scheduler).subscriber("/a")
    scheduler.advance(by: .seconds(60))
    #expect((subscriber.failure as? RESTError)?.kind == .transport(.timedOut))
    #expect(throws: RESTError.self) { try StubTransport(script).text("/a") }
  }

  @Test("ST-12: A stall of a request without a timeout ends, too", arguments: [0, .infinity])
  func boundless(limit: TimeInterval) throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.zero, result: .fault(.stall)), scheduler: scheduler)
    var request = URLRequest(url: try #require(URL(string: base + "/a")))
    request.timeoutInterval = limit
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: subscriber)
    scheduler.run()
    #expect(subscriber.failure is RESTError)
    #expect(scheduler.now == .seconds(60))
  }
}

extension RESTError {
  /// The kind of the transport's fault, without the reason of a TLS failure.
  fileprivate var transportKind: TransportError.Kind? {
    guard case .transport(let kind) = kind else { return nil }
    if case .tlsFailed = kind { return .tlsFailed(.notTLS) }
    return kind
  }
}

extension StubFault {
  fileprivate var kind: TransportError.Kind? {
    switch self {
    case .hostNotFound: .hostNotFound
    case .connectionRefused: .connectionRefused
    case .notTLS: .tlsFailed(.notTLS)
    default: nil
    }
  }
}
