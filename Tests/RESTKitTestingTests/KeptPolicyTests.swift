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

/// What a value that outlives a test has for the time of the next one.
@Suite(
  "A policy that is kept has the time of the test that uses it", .virtualTime,
  .timeLimit(.minutes(10)))
struct KeptPolicyTests {
  private struct API: RESTAPI {
    var baseURL = "https://api.example.com"
    let transport: any Transport
    var retry: RetryPolicy?
  }

  private struct Poll: Endpoint {
    typealias Response = Int
    let path: ResourcePath = "a"
  }

  private func stub(
    _ status: Int = 200, headers: HTTPHeaders = [:], body: String = "1"
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), statusCode: status,
      headers: headers, result: .success(Data(body.utf8)))
  }

  private func begin<Output: Sendable>(
    _ call: some Publisher<Output, any Error>
  ) -> TestSubscriber<Output, any Error> {
    let subscriber = TestSubscriber<Output, any Error>()
    call.eraseToAnyPublisher().subscribe(subscriber)
    return subscriber
  }

  /// Makes a value in a test of its own, which is over then, as the first of many tests does with a
  /// `static let`.
  private func kept<Value>(_ make: () -> Value) -> Value {
    VirtualTime.run { _ in make() }
  }

  @Test("A retry waits on the clock of this test, and not of the one that made the policy")
  func retry() throws {
    let time = try #require(VirtualTime.current)
    let policy = kept { RetryPolicy(baseDelay: .zero) }
    let stubs = StubTransport(stub(503, headers: ["Retry-After": "2"]), stub())
    let call = begin(API(transport: stubs, retry: policy).get(endpoint: "a"))
    time.advance(by: .milliseconds(1_999))
    #expect(call.values.isEmpty)
    time.advance(by: .milliseconds(1))
    #expect(call.values.map(\.statusCode) == [200])
  }

  @Test("A policy of a test that still runs has the time of the test that uses it")
  func beside() {
    let policy = RetryPolicy(baseDelay: .zero)
    let stubs = StubTransport(stub(503, headers: ["Retry-After": "2"]), stub())
    VirtualTime.run { time in
      let call = begin(API(transport: stubs).get(endpoint: "a").retry(policy))
      time.advance(by: .seconds(2))
      #expect(call.values.map(\.statusCode) == [200])
    }
  }

  @Test("The date of a Retry-After is compared with the date of this test")
  func date() throws {
    let time = try #require(VirtualTime.current)
    let policy = kept {
      VirtualTime.run(from: Date(timeIntervalSince1970: 0)) { _ in RetryPolicy(baseDelay: .zero) }
    }
    let stubs = StubTransport(
      stub(503, headers: ["Retry-After": "Thu, 01 Jan 2026 00:00:07 GMT"]), stub())
    let call = begin(API(transport: stubs).get(endpoint: "a").retry(policy))
    time.advance(by: .seconds(7))
    #expect(call.values.map(\.statusCode) == [200])
  }

  @Test("The limits of an attempt and of a call are over by the clock of this test")
  func limits() throws {
    let time = try #require(VirtualTime.current)
    let policy = kept { RetryPolicy(maxAttempts: 1, totalTime: .seconds(5)) }
    let call = begin(
      Empty<RESTResponse, any Error>(completeImmediately: false).retry(policy))
    time.advance(by: .seconds(5))
    #expect(call.failure != nil)
  }

  @Test("A long poll and a live stream wait on the clock of this test")
  func reconnects() throws {
    let time = try #require(VirtualTime.current)
    let policy = kept { ReconnectPolicy() }
    let withRetry = kept { ReconnectPolicy(retry: RetryPolicy()) }
    for policy in [policy, withRetry] {
      let stubs = StubTransport(stub(503), stub())
      let poll = begin(
        API(transport: stubs).longPoll(from: Poll(), reconnecting: policy) { _, _ in nil })
      time.advance(by: .seconds(10))
      #expect(poll.values == [1])
      let events = StubTransport(stub(503), stub(204))
      let stream = begin(
        API(transport: events).serverSentEvents(endpoint: "a", reconnecting: policy))
      time.advance(by: .seconds(10))
      #expect(stream.completion != nil)
    }
  }

  @Test("Waits are the same in each run, for each subscription")
  func jitter() throws {
    let time = try #require(VirtualTime.current)
    let policy = kept { RetryPolicy(maxAttempts: 4, baseDelay: .seconds(4)) }
    func waits() -> [Duration] {
      let observed = ObservedTransport(StubTransport(stub(503).repeats(3), stub()))
      let waits = Lock<[Duration]>([])
      let log = observed.callEvents.sink { event in
        if case .waiting(let wait, _, _) = event.kind { waits.withLock { $0.append(wait) } }
      }
      let call = begin(API(transport: observed).get(endpoint: "a").retry(policy))
      time.advance(by: .seconds(60))
      #expect(call.values.map(\.statusCode) == [200])
      log.cancel()
      return waits.withLock { $0 }
    }
    let first = waits()
    #expect(first.count == 3)
    #expect(Set(first).count == 3)
    #expect(waits() == first)
  }

  @Test("A scheduler, a source of jitter and a clock of the test's own win")
  func explicit() throws {
    let time = try #require(VirtualTime.current)
    let scheduler = TestScheduler()
    var policy = RetryPolicy(baseDelay: .seconds(1), scheduler: scheduler)
    policy.generator = SeededGenerator(seed: 42)
    policy.wallClock = { Date(timeIntervalSince1970: 5) }
    #expect(policy.scheduler as? TestScheduler === scheduler)
    #expect(policy.wallClock() == Date(timeIntervalSince1970: 5))
    #expect(policy.generator is SeededGenerator)
    let stubs = StubTransport(stub(503), stub())
    let call = begin(API(transport: stubs).get(endpoint: "a").retry(policy))
    time.advance(by: .seconds(60))
    #expect(call.values.isEmpty)
    var generator = SeededGenerator(seed: 42)
    let wait = Publishers.Backoff(baseDelay: .seconds(1), maxDelay: .seconds(20))
      .delay(forRetry: 0, using: &generator)
    scheduler.advance(by: wait)
    #expect(call.values.map(\.statusCode) == [200])
  }

  @Test("On a thread without a test, a policy has the time of the test that made it, until its end")
  func elsewhere() async throws {
    let time = try #require(VirtualTime.current)
    let policy = RetryPolicy()
    let old = kept { RetryPolicy() }
    await Task.detached {
      #expect(policy.scheduler as? TestScheduler === time.scheduler)
      #expect(policy.wallClock() == time.date)
      #expect(policy.generator is SeededGenerator)
      #expect(old.scheduler is ClockScheduler<ContinuousClock>)
      #expect(old.generator is SystemRandomNumberGenerator)
      #expect(old.wallClock() > time.date)
    }.value
  }

  @Test("A long poll that goes on elsewhere keeps the time of its subscription")
  func pollElsewhere() async throws {
    let time = try #require(VirtualTime.current)
    let policy = kept { ReconnectPolicy() }
    let stubs = StubTransport(stub(503), stub(), stub(503), stub(body: "2"))
    let poll = begin(
      API(transport: stubs).longPoll(from: Poll(), reconnecting: policy) { poll, response in
        response == 1 ? poll : nil
      })
    await Task.detached { time.advance(by: .seconds(20)) }.value
    #expect(poll.values == [1, 2])
  }

  @Test("The limit for the head of JSON lines is over by the clock of this test")
  func lines() throws {
    struct Lines: Endpoint {
      typealias Response = JSONLines<Int>
      let path: ResourcePath = "a"
    }
    let time = try #require(VirtualTime.current)
    let silent = StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), result: .fault(.stall))
    for retry in [nil, kept { RetryPolicy() }] {
      let lines = begin(API(transport: StubTransport(silent), retry: retry).publisher(for: Lines()))
      time.advance(by: .seconds(60))
      #expect(lines.failure != nil)
    }
  }

  @Test("A store that waits for its turn tries again on the time of this test")
  func store() throws {
    let time = try #require(VirtualTime.current)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = kept { FileTokenStore(file: folder.appending(path: "token.json")) }
    let first = begin(store.refreshTurn())
    let second = begin(store.refreshTurn())
    #expect(second.values.isEmpty)
    first.values.first?.cancel()
    time.advance(by: .milliseconds(20))
    #expect(second.values.count == 1)
  }

  @Test("An observed exchange is measured by the time of the test")
  func observed() throws {
    let time = try #require(VirtualTime.current)
    let slow = StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/a"), delay: .seconds(20))
    let durations = Lock<[Duration]>([])
    let transport = ObservedTransport(StubTransport(slow)) { exchange in
      durations.withLock { $0.append(exchange.duration) }
    }
    let call = begin(API(transport: transport).get(endpoint: "a"))
    time.advance(by: .seconds(20))
    #expect(call.values.count == 1)
    #expect(durations.withLock { $0 } == [.seconds(20)])
  }
}
