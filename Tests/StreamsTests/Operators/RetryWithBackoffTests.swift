import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("retry(backoff:)", .leakFree)
struct RetryWithBackoffTests {
  typealias Policy = Publishers.Backoff

  @Test("RT-01: full jitter is uniform between zero and the limit")
  func jitter() {
    let policy = Policy(baseDelay: .seconds(1), maxDelay: .seconds(100))
    var generator = SeededGenerator(seed: 7)
    let rounds = 4_000
    var total = Duration.zero
    var quarters = [0, 0, 0, 0]
    for _ in 0..<rounds {
      let delay = policy.delay(forRetry: 2, using: &generator)
      #expect(delay >= .zero && delay <= .seconds(4))
      total += delay
      quarters[min(Int(delay / .seconds(1)), 3)] += 1
    }
    let mean = total / rounds
    #expect(mean > .milliseconds(1_900) && mean < .milliseconds(2_100))
    #expect(quarters.allSatisfy { $0 > 850 && $0 < 1_150 })
  }

  @Test(
    "A generator that always returns the same number still gives a wait", arguments: [0, 1, .max])
  func stuckGenerator(number: UInt64) {
    let policy = Policy(baseDelay: .seconds(3), maxDelay: .seconds(100))
    var generator = StuckGenerator(number: number)
    let waits = (0..<3).map { policy.delay(forRetry: $0, using: &generator) }
    #expect(generator.draws == 6)
    let limits = (0..<3).map { policy.delayLimit(forRetry: $0) }
    #expect(zip(waits, limits).allSatisfy { $0 >= .zero && $0 <= $1 })
    #expect(number != 0 || waits == [.zero, .zero, .zero])
    #expect(number != .max || waits == limits)
  }

  @Test("RT-01: the limit doubles up to the cap")
  func limit() {
    let policy = Policy(baseDelay: .milliseconds(500), maxDelay: .seconds(3))
    let limits = (0..<5).map { policy.delayLimit(forRetry: $0) }
    #expect(limits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
  }

  @Test("The defaults of a policy")
  func defaults() {
    let policy = Policy()
    #expect(policy.maxRetries == 3)
    #expect(policy.baseDelay == .milliseconds(500))
    #expect(policy.maxDelay == .seconds(20))
    #expect(policy.jitter == .full)
    #expect(policy.totalTime == nil && !policy.resetsOnSuccess)
  }

  @Test("RT-01: the limit doubles up to the largest duration, and is zero for a delay of zero")
  func leastDelay() {
    let greatest = Duration(attoseconds: .max)
    let policy = Policy(baseDelay: Duration(attoseconds: 1), maxDelay: greatest)
    let exponents = [0, 1, 100, 125, 126]
    let limits = exponents.map { policy.delayLimit(forRetry: $0) }
    #expect(limits == exponents.map { Duration(attoseconds: Int128(1) << $0) })
    #expect(policy.delayLimit(forRetry: 127) == greatest)
    #expect(Policy(baseDelay: .zero).delayLimit(forRetry: 1_000) == .zero)
  }

  @Test("RT-02: retry numbers from 0 to 10,000 do not overflow with any delay or cap")
  func overflow() {
    var generator = SeededGenerator(seed: 1)
    let extremes: [Duration] = [
      .seconds(-5), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
    ]
    for base in extremes {
      for cap in extremes {
        let policy = Policy(baseDelay: base, maxDelay: cap)
        for retry in 0...10_000 {
          let limit = policy.delayLimit(forRetry: retry)
          let delay = policy.delay(forRetry: retry, using: &generator)
          if delay < .zero || delay > limit || limit > max(cap, .zero) {
            Issue.record("\(base) \(cap) \(retry): \(delay) of \(limit)")
          }
        }
      }
    }
    #expect(Policy(maxDelay: .seconds(9)).delayLimit(forRetry: .max) == .seconds(9))
    #expect(Policy(baseDelay: .seconds(2)).delayLimit(forRetry: .min) == .seconds(2))
  }

  @Test("RT-01: the waits come from the generator, so equal seeds give equal times")
  func seeded() {
    let times = [1, 1, 2].map { seed in
      let scheduler = TestScheduler()
      let times = Recording<Duration>()
      let source = Deferred {
        times.add(scheduler.now)
        return Fail(outputType: Int.self, failure: TestError.first)
      }
      let subscriber = TestSubscriber<Int, TestError>()
      source.retry(
        backoff: Policy(maxRetries: 5), scheduler: scheduler,
        generator: SeededGenerator(seed: UInt64(seed))
      ).subscribe(subscriber)
      scheduler.run()
      #expect(subscriber.failure == .first)
      return times.elements
    }
    #expect(times[0].count == 6)
    #expect(times[0] == times[1])
    #expect(times[0] != times[2])
  }

  @Test("retry(backoff:) gives up at a failure that the policy does not retry")
  func predicate() {
    let scheduler = TestScheduler()
    let attempts = Tally()
    let source = Deferred {
      Fail(outputType: Int.self, failure: attempts.add() < 3 ? TestError.first : .second)
    }
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(backoff: Policy(maxRetries: 9), scheduler: scheduler, when: { $0 == .first })
      .subscribe(subscriber)
    scheduler.run()
    #expect(attempts.count == 3)
    #expect(subscriber.failure == .second)
  }

  @Test("RT-11: a retry that would begin after the total time is not made")
  func totalTime() {
    let scheduler = TestScheduler()
    let attempts = Tally()
    let source = Deferred {
      attempts.add()
      return Fail(outputType: Int.self, failure: TestError.first)
    }
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(
      backoff: Policy(
        maxRetries: .max, baseDelay: .seconds(1), maxDelay: .seconds(1), jitter: .none,
        totalTime: .milliseconds(3_500)),
      scheduler: scheduler
    ).subscribe(subscriber)
    scheduler.run()
    #expect(attempts.count == 4)
    #expect(subscriber.failure == .first)
    #expect(scheduler.now == .seconds(3))
  }

  @Test("A value resets the count if the policy says so", arguments: [true, false])
  func reset(resets: Bool) {
    let scheduler = TestScheduler()
    let source = Timeline(signs: "-a#", scheduler: scheduler)
    let subscriber = TestSubscriber<String, TestError>()
    source.retry(
      backoff: Policy(
        maxRetries: 1, baseDelay: .milliseconds(10), maxDelay: .milliseconds(10), jitter: .none,
        totalTime: .milliseconds(50), resetsOnSuccess: resets),
      scheduler: scheduler
    ).subscribe(subscriber)
    scheduler.advance(by: .seconds(3))
    #expect(subscriber.values.count == (resets ? 100 : 2))
    #expect((subscriber.failure == .first) == !resets)
    subscriber.cancel()
    scheduler.run()
  }

  @Test("RT-12: a cancel during the wait is immediate and releases the timer")
  func cancelInWait() {
    let scheduler = TestScheduler()
    let subscriber = TestSubscriber<Int, TestError>()
    Fail(outputType: Int.self, failure: TestError.first)
      .retry(
        backoff: Policy(baseDelay: .seconds(1), jitter: .none), scheduler: scheduler
      ).subscribe(subscriber)
    #expect(scheduler.pendingCount == 1)
    subscriber.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(subscriber.completions.isEmpty)
  }

  @Test("The chained publisher's failure ends the stream")
  func chainedFailure() {
    let scheduler = TestScheduler()
    let subscriber = TestSubscriber<Int, TestError>()
    Fail(outputType: Int.self, failure: TestError.first)
      .retry(
        backoff: Policy(), scheduler: scheduler,
        chainedPublisher: Fail(outputType: String.self, failure: .third)
      ).subscribe(subscriber)
    scheduler.run()
    #expect(subscriber.failure == .third)
  }

  @Test("P25: an attempt receives the remaining demand")
  func demand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(5))
    source.retry(
      backoff: Policy(maxRetries: 3), scheduler: .immediate
    ).subscribe(subscriber)
    for value in 1...3 {
      source.send(value)
      source.send(completion: .failure(.first))
    }
    #expect(source.requests == [.max(5), .max(4), .max(3), .max(2)])
  }

  @Test("C-5: very many attempts that fail at once need constant stack")
  func constantStack() {
    let attempts = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = Deferred {
          attempts.add()
          return Fail(outputType: Int.self, failure: TestError.first)
        }
        let cancellable = source.retry(
          backoff: Policy(maxRetries: manyTimes), scheduler: .immediate
        ).sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
        cancellable.cancel()
      })
    #expect(attempts.count == manyTimes + 1)
    #expect(ends.count == 1)
  }

  @Test("RT-11: a retry that begins exactly at the end of the total time is made")
  func wholeTotalTime() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError> { $0.send(completion: .failure(.first)) }
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(
      backoff: Policy(
        maxRetries: .max, baseDelay: .seconds(1), maxDelay: .seconds(1), jitter: .none,
        totalTime: .seconds(3)),
      scheduler: scheduler
    ).subscribe(subscriber)
    scheduler.run()
    #expect(source.subscriptionCount == 4)
    #expect(subscriber.failure == .first)
  }
}

/// Gives one number so often that any wait would be drawn, and others behind that, so that a test
/// ends.
private struct StuckGenerator: RandomNumberGenerator {
  let number: UInt64
  private(set) var draws = 0

  init(number: UInt64) {
    self.number = number
  }

  mutating func next() -> UInt64 {
    draws += 1
    return draws <= 1_000 ? number : number &+ UInt64(draws) &* 0x9E37_79B9_7F4A_7C15
  }
}
