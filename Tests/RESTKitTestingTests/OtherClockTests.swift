import Dispatch
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

/// What a test on virtual time says about calls that wait on another clock.
@Suite(
  "A test on virtual time reports the calls that wait on another clock", .timeLimit(.minutes(10)))
struct OtherClockTests {
  private struct API: RESTAPI {
    var baseURL = "https://api.example.com"
    let transport: any Transport
    var retry: RetryPolicy?
    var session: TokenSession?
    var rateLimiter: RateLimiter?
  }

  private static let busy = StubAPIResponse(
    request: .init(.get, urlString: "https://api.example.com/a"), statusCode: 503,
    headers: ["Retry-After": "3600"])
  private static let silent = StubAPIResponse(
    request: .init(.get, urlString: "https://api.example.com/a"), result: .fault(.stall))

  /// Runs a test, and returns its reports.
  private func reports(_ test: (VirtualTime) throws -> Void) rethrows -> [String] {
    var reports: [String] = []
    try VirtualTime.run(report: { reports.append($0) }, test)
    return reports
  }

  private func begin<Output: Sendable>(_ call: some Publisher<Output, any Error>) -> AnyCancellable
  {
    call.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
  }

  private static let schedulers: [any Scheduler] = [
    .continuous, .mainActor, DispatchQueue.global(), OperationQueue(),
    ClockScheduler(SuspendingClock()), VirtualTime.run { $0.scheduler },
  ]

  @Test("A wait before a retry", arguments: 0..<6)
  func retry(index: Int) {
    var policy = RetryPolicy(
      baseDelay: .zero, maxRetryAfter: .seconds(7_200), totalTime: nil,
      scheduler: Self.schedulers[index])
    policy.generator = SeededGenerator(seed: 1)
    let reports = reports { _ in
      _ = begin(API(transport: StubTransport(Self.busy)).get(endpoint: "a").retry(policy))
    }
    #expect(
      reports == [
        """
        GET https://api.example.com/a waits 3600.0 s on the scheduler of its RetryPolicy.
        This test's virtual time does not move that scheduler. Make the RetryPolicy in the test, \
        without a scheduler.
        """
      ])
  }

  @Test("A scheduler that the test moves, or on which no time passes, is none of them")
  func ownScheduler() {
    let schedulers: [any Scheduler] = [TestScheduler(), .immediate]
    for scheduler in schedulers {
      let policy = RetryPolicy(
        maxAttempts: 2, baseDelay: .zero, maxRetryAfter: .seconds(7_200), totalTime: nil,
        scheduler: scheduler)
      #expect(
        reports { _ in
          let stubs = StubTransport(Self.busy.repeats(2))
          _ = begin(API(transport: stubs).get(endpoint: "a").retry(policy))
        }.isEmpty)
    }
    #expect(
      reports { time in
        let policy = RetryPolicy(baseDelay: .zero, scheduler: time.scheduler)
        _ = begin(API(transport: StubTransport(Self.busy)).get(endpoint: "a").retry(policy))
      }.isEmpty)
  }

  @Test("A time limit of a policy, when the test's time has passed it, and not before")
  func limit() {
    let policy = RetryPolicy(totalTime: .seconds(3_600), scheduler: .continuous)
    func reports(after time: Duration, isCancelled: Bool) -> [String] {
      var call: AnyCancellable?
      let found = self.reports { test in
        let begun = begin(
          API(transport: StubTransport(Self.silent)).get(endpoint: "a").retry(policy))
        test.advance(by: time)
        if isCancelled { begun.cancel() } else { call = begun }
      }
      call?.cancel()
      return found
    }
    for isCancelled in [true, false] {
      #expect(reports(after: .seconds(59), isCancelled: isCancelled).isEmpty)
    }
    // The stub's own silence would end the call before.
    let silence = Empty<RESTResponse, any Error>(completeImmediately: false)
    for isCancelled in [true, false] {
      var call: AnyCancellable?
      let found = self.reports { test in
        let begun = begin(silence.retry(policy))
        test.advance(by: .seconds(3_600))
        if isCancelled { begun.cancel() } else { call = begun }
      }
      call?.cancel()
      #expect(found.count == 1)
      #expect(found.first?.contains(" on the scheduler of its RetryPolicy.") == true)
    }
  }

  @Test("The silence of a stream that is measured on another clock")
  func silence() {
    struct Lines: Endpoint {
      typealias Response = JSONLines<Int>
      let path: ResourcePath = "a"
    }
    let policy = ReconnectPolicy(
      delay: .seconds(200), silence: .seconds(20), retry: RetryPolicy(scheduler: .continuous))
    let streams: [(API) -> AnyCancellable] = [
      { begin($0.publisher(for: Lines())) },
      { begin($0.serverSentEvents(endpoint: "a", reconnecting: policy)) },
      { begin($0.events(endpoint: "a").follow(policy) { request, _ in request }) },
    ]
    for stream in streams {
      let reports = reports { time in
        let api = API(
          transport: StubTransport(Self.silent), retry: RetryPolicy(scheduler: .continuous))
        let call = stream(api)
        #expect(time.scheduler.now == .zero)
        time.advance(by: .seconds(61))
        call.cancel()
      }
      #expect(reports.contains { $0.contains(" on the scheduler of its RetryPolicy.") })
    }
  }

  @Test("A time limit that is over by its own clock")
  func realLimit() async throws {
    let policy = RetryPolicy(totalTime: .milliseconds(1), scheduler: .continuous)
    var reports: [String] = []
    await VirtualTime.run(report: { reports.append($0) }) { _ in
      let silence = Empty<RESTResponse, any Error>(completeImmediately: false)
      _ = await silence.retry(policy).result
    }
    #expect(reports.count == 1)
  }

  @Test("A limiter, a deadline and a session that are older than the test")
  func older() throws {
    let (limiter, deadline, session) = VirtualTime.run { _ in
      (
        RateLimiter(1, per: .seconds(30)), CallDeadline.after(.seconds(40)),
        TokenSession(
          grant: ClosureGrant { _ in Empty<TokenResponse, any Error>(completeImmediately: false) })
      )
    }
    let stub = StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), result: .json("{}"))
    let line = reports { _ in
      let api = API(transport: StubTransport(stub), rateLimiter: limiter)
      _ = begin(api.get(endpoint: "a"))
      _ = begin(api.get(endpoint: "a"))
    }
    #expect(
      line.map { $0.prefix(63) } == [
        "GET https://api.example.com/a waits 30.0 s on the scheduler of "
      ])
    #expect(line.first?.contains("its RateLimiter.") == true)
    let late = reports { time in
      let call = begin(
        API(transport: StubTransport(Self.silent)).get(endpoint: "a").call(deadline: deadline))
      time.advance(by: .seconds(45))
      call.cancel()
    }
    #expect(
      late.first?.hasPrefix(
        "GET https://api.example.com/a waits 40.0 s on the scheduler of its CallDeadline.")
        == true)
    try session.signIn(
      Credential(
        accessToken: "old", refreshToken: "r", expiresAt: VirtualTime.defaultStart - 100))
    let refresh = reports { time in
      let call = begin(API(transport: StubTransport(), session: session).get(endpoint: "a"))
      time.advance(by: .seconds(30))
      call.cancel()
    }
    #expect(
      refresh.first?.hasPrefix("A refresh waits 30.0 s on the scheduler of its TokenSession.")
        == true)
  }

  @Test("Without a closure for it, a report goes to standard error, and the test goes on")
  func printed() {
    let policy = RetryPolicy(
      baseDelay: .zero, maxRetryAfter: .seconds(7_200), totalTime: nil, scheduler: .continuous)
    let requests = VirtualTime.run { _ in
      let stubs = StubTransport(Self.busy)
      _ = begin(API(transport: stubs).get(endpoint: "a").retry(policy))
      return stubs.requests.count
    }
    #expect(requests == 1)
  }

  @Test("The trait makes a warning of it")
  func trait() async throws {
    let test = try #require(Test.current)
    let trait: VirtualTimeTrait = .virtualTime(seed: 3)
    let policy = RetryPolicy(
      baseDelay: .zero, maxRetryAfter: .seconds(7_200), totalTime: nil, scheduler: .continuous)
    try await withKnownIssue {
      try await trait.provideScope(for: test, testCase: nil) {
        _ = begin(API(transport: StubTransport(Self.busy)).get(endpoint: "a").retry(policy))
      }
    } matching: { issue in
      issue.severity == .warning
        && issue.comments.contains { "\($0)".contains("on the scheduler of its RetryPolicy") }
    }
  }
}
