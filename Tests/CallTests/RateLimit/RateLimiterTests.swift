import Dispatch
import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A rate limiter lets requests wait for their turn")
struct RateLimiterTests {
  private typealias Call = TestSubscriber<RESTResponse, any Error>

  private let scheduler = TestScheduler()

  private func limiter(
    _ requests: Int = 1, maxWaiting: Int = 10, maxWait: Duration = .seconds(60),
    honorsServer: Bool = true
  ) -> RateLimiter {
    RateLimiter(
      requests, per: .seconds(1), maxWaiting: maxWaiting, maxWait: maxWait,
      honorsServer: honorsServer, scheduler: scheduler)
  }

  private func transport(
    _ answer: @escaping @Sendable (Int, URLRequest) -> ScriptedTransport.ServerResponse = { _, _ in
      .status(200)
    }
  ) -> ScriptedTransport {
    ScriptedTransport(on: scheduler, answer: answer)
  }

  private func calls(_ api: TestAPI, _ paths: String...) -> [Call] {
    paths.map { path in
      let call = Call()
      api.get(endpoint: path).receive(subscriber: call)
      return call
    }
  }

  private func paths(_ transport: ScriptedTransport) -> [String] {
    transport.requests.map { $0.url?.lastPathComponent ?? "" }
  }

  @Test("Requests leave one after another, first come, first served")
  func order() {
    let transport = transport()
    let calls = calls(
      TestAPI(transport: transport, rateLimiter: limiter(2)), "a", "b", "c", "d", "e")
    #expect(paths(transport) == ["a", "b"])
    scheduler.run()
    #expect(paths(transport) == ["a", "b", "c", "d", "e"])
    #expect(
      transport.times
        == [.zero, .zero, .milliseconds(500), .seconds(1), .milliseconds(1_500)])
    #expect(calls.allSatisfy { $0.values.map(\.statusCode) == [200] && $0.isFinished })
    #expect(scheduler.pendingCount == 0)
  }

  @Test("By default a request waits for a minute at most")
  func defaultWait() {
    for (period, isRefused) in [(Duration.seconds(60), false), (.seconds(61), true)] {
      let limiter = RateLimiter(1, per: period, scheduler: scheduler)
      let calls = calls(TestAPI(transport: transport(), rateLimiter: limiter), "a", "b")
      scheduler.run()
      #expect(calls[0].isFinished)
      #expect((calls[1].failure != nil) == isRefused)
    }
  }

  @Test("A timer that is out of date as soon as it is set is cancelled")
  func outdatedTimer() {
    let call = Call()
    let timers = OutdatedTimers { call.cancel() }
    let limiter = RateLimiter(1, per: .seconds(1), scheduler: timers)
    let api = TestAPI(transport: transport(), rateLimiter: limiter)
    _ = calls(api, "a")
    api.get(endpoint: "b").receive(subscriber: call)
    #expect(timers.cancels.withLock { $0 } == 1)
  }

  @Test("A cancel gives its place to the requests behind it, and the last cancel removes the timer")
  func cancel() {
    let transport = transport()
    let calls = calls(TestAPI(transport: transport, rateLimiter: limiter()), "a", "b", "c", "d")
    calls[1].cancel()
    calls[3].cancel()
    scheduler.advance(by: .seconds(1))
    #expect(paths(transport) == ["a", "c"])
    #expect(scheduler.pendingCount == 0)
    let late = Call()
    TestAPI(transport: transport, rateLimiter: nil).get(endpoint: "e").receive(subscriber: late)
    #expect(paths(transport) == ["a", "c", "e"])
    let last = self.calls(TestAPI(transport: transport, rateLimiter: limiter()), "f", "g")
    #expect(scheduler.pendingCount == 1)
    last[1].cancel()
    #expect(scheduler.pendingCount == 0)
  }

  @Test("The timer for waiting requests is set before a request leaves")
  func timer() {
    let timers = Lock<[Int]>([])
    let transport = transport { [scheduler] _, _ in
      let pending = scheduler.pendingCount
      timers.withLock { $0.append(pending) }
      return .status(200)
    }
    _ = calls(TestAPI(transport: transport, rateLimiter: limiter()), "a", "b", "c")
    scheduler.run()
    #expect(timers.withLock { $0 } == [0, 1, 0])
  }

  @Test("On a scheduler whose time does not pass, a turn comes at once")
  func immediate() {
    let transport = transport()
    let limiter = RateLimiter(1, per: .seconds(1), scheduler: .immediate)
    let calls = calls(TestAPI(transport: transport, rateLimiter: limiter), "a", "b", "c")
    #expect(paths(transport) == ["a", "b", "c"])
    #expect(calls.allSatisfy { $0.isFinished })
  }

  @Test("A full queue refuses a request, and sends nothing")
  func full() throws {
    let transport = transport()
    let calls = calls(
      TestAPI(transport: transport, rateLimiter: limiter(maxWaiting: 1)), "a", "b", "c")
    let error = try #require(calls[2].failure as? RESTError)
    #expect(error.kind == .rateLimit)
    #expect(error.request?.location == "https://api.example.com/v1/c")
    #expect(error.description.contains("maxWaiting"))
    #expect(error.attempts == 0)
    scheduler.run()
    #expect(paths(transport) == ["a", "b"])
  }

  @Test("By default a thousand requests wait, a minute each at most, and a burst is a period's")
  func defaults() {
    let transport = transport()
    let full = RateLimiter(1, per: .milliseconds(1), scheduler: scheduler)
    let crowd = (0...1_001).map { _ in calls(TestAPI(transport: transport, rateLimiter: full), "a")
    }
    #expect(crowd.joined().filter { $0.failure != nil }.count == 1)
    scheduler.run()
    #expect(transport.requests.count == 1_001)
    let slow = RateLimiter(2, per: .seconds(60), scheduler: scheduler)
    let late = (0...4).map { _ in calls(TestAPI(transport: transport, rateLimiter: slow), "b") }
    #expect(late.joined().map { $0.failure == nil } == [true, true, true, true, false])
    #expect(paths(transport).filter { $0 == "b" }.count == 2)
  }

  @Test("A turn later than maxWait, or than the deadline, is refused at once")
  func tooLate() throws {
    let transport = transport()
    let api = TestAPI(transport: transport, rateLimiter: limiter(maxWait: .milliseconds(1_500)))
    let calls = calls(api, "a", "b", "c")
    let late = try #require(calls[2].failure as? RESTError)
    #expect(late.kind == .rateLimit)
    #expect(late.description.contains("maxWait"))
    let short = Call()
    api.get(endpoint: "d")
      .call(deadline: .after(.milliseconds(500), scheduler: scheduler))
      .receive(subscriber: short)
    let refused = try #require(short.failure as? RESTError)
    #expect(refused.kind == .rateLimit)
    scheduler.run()
    #expect(paths(transport) == ["a", "b"])
  }

  @Test("A wait that has begun lasts as long as the server demands, even beyond maxWait")
  func longerWait() {
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      number == 1 ? .status(429, ["Retry-After": "100"]) : .status(200)
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    let calls = calls(api, "a", "b")
    scheduler.run()
    #expect(transport.times == [.zero, .milliseconds(100_100)])
    #expect(calls.allSatisfy { $0.isFinished })
  }

  @Test("The error for a deadline before the turn says so")
  func deadline() throws {
    let transport = transport()
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    _ = calls(api, "a")
    let short = Call()
    api.get(endpoint: "d")
      .call(deadline: .after(.milliseconds(500), scheduler: scheduler))
      .receive(subscriber: short)
    let refused = try #require(short.failure as? RESTError)
    #expect(refused.reason.contains("after the deadline of call(deadline:)"))
    #expect(refused.log?.events.last?.description == "failed because \(refused.reason)")
    #expect(scheduler.now == .zero)
    scheduler.run()
    #expect(paths(transport) == ["a"])
  }

  @Test("A retry takes a turn, and its log shows the wait")
  func retry() throws {
    let transport = transport { number, _ in .status(number == 1 ? 503 : 200) }
    let api = TestAPI(
      transport: transport, retry: .test(scheduler) { $0.baseDelay = .milliseconds(100) },
      rateLimiter: limiter())
    let call = try #require(calls(api, "a").first)
    scheduler.run()
    #expect(transport.times == [.zero, .seconds(1)])
    let log = call.values.first?.journal?.log.events.map(\.description) ?? []
    #expect(log.contains("waits 900 ms because its RateLimiter has no turn"))
  }

  @Test("A redirect takes a turn within its origin, and none elsewhere")
  func redirects() {
    let transport = transport { _, request in
      switch request.url?.lastPathComponent {
      case "a": .status(302, ["Location": "/v1/b"])
      case "b": .status(302, ["Location": "https://cdn.example.com/c"])
      case "c": .status(200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "50"])
      default: .status(200)
      }
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    _ = calls(api, "a")
    scheduler.run()
    #expect(paths(transport) == ["a", "b", "c"])
    #expect(transport.times == [.zero, .seconds(1), .seconds(1)])
    _ = calls(api, "d")
    scheduler.run()
    #expect(transport.times.last == .seconds(2))
  }

  @Test("A cached response takes no turn, and calls that share an exchange take one")
  func cached() {
    let transport = ScriptedTransport(
      .status(200, ["Cache-Control": "max-age=600"]), on: scheduler, taking: .milliseconds(100))
    let api = TestAPI(
      transport: transport, rateLimiter: limiter(), cache: HTTPCache(),
      coalescer: RequestCoalescer())
    let first = calls(api, "a", "a", "a")
    scheduler.advance(by: .milliseconds(100))
    #expect(first.allSatisfy { $0.isFinished })
    let cached = calls(api, "a")
    #expect(cached.allSatisfy { $0.isFinished })
    #expect(transport.requests.count == 1)
    scheduler.run()
  }

  @Test(
    "After a refusal with Retry-After nothing leaves for that time", arguments: [403, 429, 503])
  func retryAfter(status: Int) {
    let transport = transport { number, _ in
      number == 1 ? .status(status, ["Retry-After": "7"]) : .status(200)
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(10))
    _ = calls(api, "a", "b")
    scheduler.run()
    #expect(transport.times == [.zero, .seconds(7)])
  }

  @Test("Retry-After of another status has no effect")
  func otherStatus() {
    let transport = transport { _, _ in .status(404, ["Retry-After": "7"]) }
    _ = calls(TestAPI(transport: transport, rateLimiter: limiter(10)), "a", "b")
    #expect(transport.requests.count == 2)
  }

  @Test("Until the reset, no more requests leave than the server accepts")
  func quota() {
    let transport = transport { number, _ in
      number == 1 ? .status(200, ["RateLimit": #""a";r=1;t=9"#]) : .status(200)
    }
    _ = calls(TestAPI(transport: transport, rateLimiter: limiter(10)), "a", "b", "c")
    scheduler.run()
    #expect(transport.times == [.zero, .zero, .seconds(9)])
  }

  @Test("With honorsServer: false, the server's limits are ignored")
  func deaf() {
    let transport = transport { _, _ in .status(429, ["Retry-After": "7"]) }
    _ = calls(
      TestAPI(transport: transport, rateLimiter: limiter(10, honorsServer: false)), "a", "b", "c")
    #expect(transport.requests.count == 3)
  }

  @Test("A response with a higher quota wakes the queue")
  func reopened() {
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      let left = number == 2 ? 5 : 0
      return .status(200, ["RateLimit": "\"a\";r=\(left);t=30"])
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(10))
    _ = calls(api, "a")
    scheduler.advance(by: .milliseconds(50))
    _ = calls(api, "b")
    scheduler.advance(by: .milliseconds(50))
    _ = calls(api, "c")
    #expect(transport.requests.count == 2)
    scheduler.advance(by: .milliseconds(50))
    #expect(transport.requests.count == 3)
    scheduler.run()
  }

  @Test("After a wait that a server demanded, one request leaves as a probe, and the others wait")
  func probe() {
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      number == 1 ? .status(429, ["Retry-After": "7"]) : .status(200)
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(10))
    _ = calls(api, "a")
    scheduler.advance(by: .milliseconds(100))
    let calls = calls(api, "b", "c", "d")
    scheduler.run()
    #expect(
      transport.times
        == [.zero, .milliseconds(7_100), .milliseconds(7_200), .milliseconds(7_200)])
    #expect(calls.allSatisfy { $0.isFinished })
    #expect(scheduler.pendingCount == 0)
  }

  @Test("The response to the probe counts for the other requests")
  func refusedProbe() {
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      switch number {
      case 1: .status(200, ["RateLimit": #""a";r=0;t=9"#])
      case 2: .status(429, ["RateLimit": #""a";r=0;t=5"#])
      default: .status(200)
      }
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(10))
    _ = calls(api, "a")
    scheduler.advance(by: .milliseconds(100))
    _ = calls(api, "b", "c", "d")
    scheduler.run()
    #expect(
      transport.times == [0, 9_100, 14_200, 14_300].map { .milliseconds($0) })
  }

  @Test("If the probe fails, is canceled or gets no response, the next request is the probe")
  func lostProbe() {
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      switch number {
      case 1: .status(503, ["Retry-After": "7"])
      case 2: .fault(.connectionReset)
      case 3, 4: .silence
      default: .status(200)
      }
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(10))
    _ = calls(api, "a")
    scheduler.advance(by: .milliseconds(100))
    let calls = calls(api, "b", "c", "d", "e", "f")
    scheduler.advance(by: .seconds(8))
    #expect(paths(transport) == ["a", "b", "c"])
    calls[1].cancel()
    scheduler.run()
    #expect(paths(transport) == ["a", "b", "c", "d", "e", "f"])
    #expect(
      transport.times == [0, 7_100, 7_200, 8_100, 68_100, 68_200].map { .milliseconds($0) })
  }

  @Test("No reset closes the limiter for longer than an hour")
  func endlessReset() {
    for fields: HTTPHeaders in [
      ["RateLimit": #""a";r=0;t=99999999999"#], ["RateLimit": "remaining=0, reset=99999999999"],
      ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "999999999"],
    ] {
      let scheduler = TestScheduler()
      let transport = ScriptedTransport(.status(200, fields), .status(200), on: scheduler)
      let limiter = RateLimiter(
        10, per: .seconds(1), maxWait: .seconds(7_200), scheduler: scheduler)
      _ = calls(TestAPI(transport: transport, rateLimiter: limiter), "a", "b")
      scheduler.run()
      #expect(transport.times == [.zero, .seconds(3_600)])
    }
  }

  @Test("No Retry-After closes the limiter for longer than an hour, and a probe follows")
  func endlessRetryAfter() {
    for fields: HTTPHeaders in [
      ["Retry-After": "99999999999"],
      ["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"],
      [
        "Retry-After": "Fri, 27 Nov 2026 12:01:00 GMT", "Date": "Thu, 01 Jan 1970 00:00:00 GMT",
      ],
    ] {
      let scheduler = TestScheduler()
      let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
        number == 1 ? .status(429, fields) : .status(200)
      }
      let limiter = RateLimiter(
        10, per: .seconds(1), maxWait: .seconds(7_200), scheduler: scheduler)
      let api = TestAPI(transport: transport, rateLimiter: limiter)
      _ = calls(api, "a")
      scheduler.advance(by: .milliseconds(100))
      let later = calls(api, "b", "c")
      scheduler.run()
      #expect(transport.times == [0, 3_600_100, 3_600_200].map { .milliseconds($0) })
      #expect(later.allSatisfy { $0.isFinished })
    }
  }

  @Test(
    "Of limits with equally few remaining requests the longest counts, by default with the period",
    arguments: [(#""a";r=0, "b";r=0;t=1"#, 30), (#""a";r=0, "b";r=0;t=50"#, 50)])
  func unknownReset(field: String, wait: Int) {
    let transport = ScriptedTransport(
      .status(200, ["RateLimit": field]), .status(200), on: scheduler)
    let limiter = RateLimiter(10, per: .seconds(30), scheduler: scheduler)
    _ = calls(TestAPI(transport: transport, rateLimiter: limiter), "a", "b")
    scheduler.run()
    #expect(transport.times == [.zero, .seconds(wait)])
  }

  @Test("The turn of a request that is canceled at its turn goes to the next request")
  func unusedTurn() {
    let cancelled = Lock<Call?>(nil)
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(100)) { number, _ in
      // Of the requests that have their turns now, the first one cancels the second.
      if number == 3 { cancelled.withLock { $0 }?.cancel() }
      return number == 1 ? .status(429, ["Retry-After": "7"]) : .status(200)
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter(3))
    _ = calls(api, "a")
    scheduler.advance(by: .milliseconds(100))
    let calls = calls(api, "b", "c", "d", "e")
    cancelled.withLock { $0 = calls[2] }
    scheduler.run()
    #expect(paths(transport) == ["a", "b", "c", "e"])
    #expect(transport.times == [0, 7_100, 7_200, 7_200].map { .milliseconds($0) })
    #expect(scheduler.pendingCount == 0)
  }

  /// A subscriber that wants nothing.
  private struct LeavingSubscriber: Subscriber {
    func receive(subscription: any Subscription) { subscription.cancel() }

    func receive(_ input: RESTResponse) -> Subscribers.Demand { .none }

    func receive(completion: Subscribers.Completion<any Error>) {}
  }

  @Test("A subscriber that cancels with its subscription takes no turn")
  func canceledAtOnce() {
    let transport = transport()
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    api.get(endpoint: "a").receive(subscriber: LeavingSubscriber())
    let calls = calls(api, "b", "c")
    #expect(paths(transport) == ["b"])
    scheduler.run()
    #expect(calls.map(\.values.count) == [1, 1])
    #expect(transport.times == [.zero, .seconds(1)])
  }

  @Test("A call that is canceled while its wait is logged gives up its place")
  func canceledByAnObserver() {
    let transport = transport()
    let observed = ObservedTransport(transport)
    let api = TestAPI(transport: observed, rateLimiter: limiter())
    let unwanted = Call()
    let isTold = Lock(false)
    let watch = observed.callEvents.sink { event in
      guard case .waiting = event.kind, !isTold.withLock({ exchange(&$0, with: true) }) else {
        return
      }
      unwanted.cancel()
    }
    _ = calls(api, "a")
    api.get(endpoint: "b").receive(subscriber: unwanted)
    #expect(isTold.withLock { $0 })
    let last = calls(api, "c")
    scheduler.run()
    #expect(paths(transport) == ["a", "c"])
    #expect(transport.times == [.zero, .seconds(1)])
    #expect(last.map(\.values.count) == [1])
    watch.cancel()
  }

  @Test("An operator's limiter takes the place of the API's")
  func operatorsOwn() {
    let transport = transport()
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    _ = calls(api, "a")
    let call = Call()
    api.get(endpoint: "b").rateLimited(by: limiter()).receive(subscriber: call)
    #expect(paths(transport) == ["a", "b"])
  }

  @Test("An exchange in pieces takes a turn, and its head counts")
  func pieces() {
    let transport = transport { _, _ in .status(200) }
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    let events = TestSubscriber<TransferEvent, any Error>()
    api.events(endpoint: "a").receive(subscriber: events)
    _ = calls(api, "b")
    #expect(transport.requests.count == 1)
    scheduler.run()
    #expect(transport.times == [.zero, .seconds(1)])
  }

  @Test("The time of a redirected request begins at its turn")
  func time() {
    let transport = transport { number, _ in
      number == 2 ? .status(302, ["Location": "/v1/c"]) : .status(200)
    }
    let api = TestAPI(transport: transport, rateLimiter: limiter())
    _ = calls(api, "a")
    let call = Call()
    api.get(endpoint: "b") { request in
      var request = request
      request.timeoutInterval = 3
      return request
    }.receive(subscriber: call)
    scheduler.run()
    #expect(call.values.map(\.statusCode) == [200])
  }

  @Test("For any order of work that is due at once, no more leave than may")
  func interleavings() throws {
    try TestScheduler.explore(seeds: 0..<50) { scheduler in
      let limiter = RateLimiter(3, per: .seconds(3), scheduler: scheduler)
      let transport = ScriptedTransport(.status(200), on: scheduler, taking: .milliseconds(10))
      let calls = (0..<12).map { _ in Call() }
      for (index, call) in calls.enumerated() {
        _ = scheduler.schedule(after: .milliseconds(100 * (index / 4))) {
          TestAPI(transport: transport, rateLimiter: limiter).get(endpoint: "a")
            .receive(subscriber: call)
        }
        if index % 5 == 4 {
          _ = scheduler.schedule(after: .milliseconds(900)) { call.cancel() }
        }
      }
      scheduler.run()
      let times = transport.times
      for index in times.indices.dropFirst(3) {
        try #require(times[index] - times[index - 3] >= .seconds(1))
      }
      try #require(calls.filter(\.isFinished).count == times.count)
      try #require(times.count >= 10)
      try #require(scheduler.pendingCount == 0)
    }
  }

  @Test("Many threads: each call comes to its end, and none too early")
  func threads() async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let transport = ScriptedTransport(.status(200), on: .immediate)
    let limiter = RateLimiter(2_000, per: .seconds(1), burst: 10, maxWaiting: 1_000)
    let api = TestAPI(transport: transport, rateLimiter: limiter)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let call = api.get(endpoint: "\(index)")
          if index % 7 == 3 {
            call.sink(receiveResult: { _ in }).cancel()
          } else {
            _ = try await call.value
          }
        }
      }
      try await group.waitForAll()
    }
    // 171 at least have passed, of which ten at once.
    #expect(clock.now - begin >= .milliseconds(80))
    #expect(transport.requests.count >= 171)
  }
}

/// Timers that never ring; while one is set, something makes it out of date.
private final class OutdatedTimers: Scheduler {
  let cancels = Lock(0)
  private let meanwhile: @Sendable () -> Void

  init(meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

  var now: Duration { .zero }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    meanwhile()
    return Timer(timers: self)
  }

  /// Unlike an `AnyCancellable`, it is not cancelled where it is only released.
  private struct Timer: Cancellable {
    let timers: OutdatedTimers

    func cancel() { timers.cancels.withLock { $0 += 1 } }
  }
}
