import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Timed operators: the timelines in their documentation", .leakFree)
struct TimingTests {
  @Test("delay shifts values, the end and a failure")
  func delay() {
    let line = timeline("-a--b-|") { source, scheduler in
      source.delay(for: .milliseconds(20), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(line == "---a--b-|")
    let failing = timeline("-a#") { source, scheduler in
      source.delay(for: .milliseconds(20), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(failing == "---a#")
  }

  @Test("debounce delivers a value after a quiet time, and the last one at the end")
  func debounce() {
    let line = timeline("-a-b----c---|") { source, scheduler in
      source.debounce(for: .milliseconds(30), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(line == "------b----c|")
    let cut = timeline("-a-b|") { source, scheduler in
      source.debounce(for: .milliseconds(30), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(cut == "----(b|)")
  }

  @Test("P27: debounce delivers a failure during a quiet time at once, without the waiting value")
  func debounceFailure() {
    let line = timeline("-a-b-#") { source, scheduler in
      source.debounce(for: .milliseconds(30), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(line == "-----#")
  }

  @Test("A job of the scheduler, not the sender, delivers values that pass at once")
  func onScheduler() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, Never>()
    let throttled = TestSubscriber<Int, Never>()
    subject.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
      .subscribe(throttled)
    let timed = TestSubscriber<Int, Never>()
    subject.timeout(.milliseconds(50), scheduler: scheduler).subscribe(timed)
    scheduler.advance()
    subject.send(1)
    #expect(throttled.values.isEmpty && timed.values.isEmpty)
    scheduler.advance()
    #expect(throttled.values == [1])
    #expect(timed.values == [1])
    subject.send(completion: .finished)
    #expect(timed.completion == nil)
    scheduler.advance()
    #expect(timed.completion == .finished)
  }

  @Test("throttle delivers the latest or the first value of each interval")
  func throttle() {
    let latest = timeline("-a-b-c------d-|") { source, scheduler in
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
        .eraseToAnyPublisher()
    }
    #expect(latest == "-a----c-----d-|")
    let first = timeline("-a-b-c------d-|") { source, scheduler in
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: false)
        .eraseToAnyPublisher()
    }
    #expect(first == "-a----b-----d-|")
    let cut = timeline("-a-b|") { source, scheduler in
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
        .eraseToAnyPublisher()
    }
    #expect(cut == "-a--(b|)")
    let failed = timeline("-a-b#") { source, scheduler in
      source.throttle(for: .milliseconds(50), scheduler: scheduler, latest: true)
        .eraseToAnyPublisher()
    }
    #expect(failed == "-a--#")
  }

  @Test("timeout finishes, or fails with the custom error, and measures from each value")
  func timeout() {
    let line = timeline("-a--b-------c-|") { source, scheduler in
      source.timeout(.milliseconds(40), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(line == "-a--b---|")
    let failing = timeline("-a--b-------c-|") { source, scheduler in
      source.timeout(.milliseconds(40), scheduler: scheduler, customError: { .second })
        .eraseToAnyPublisher()
    }
    #expect(failing == "-a--b---#")
    let silent = timeline("------a|") { source, scheduler in
      source.timeout(.milliseconds(40), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(silent == "----|")
    let quick = timeline("-a-b-|") { source, scheduler in
      source.timeout(.milliseconds(40), scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(quick == "-a-b-|")
  }

  @Test("measureInterval delivers the time since the previous value, or since the subscription")
  func measureInterval() {
    let line = timeline("-a--b-|") { source, scheduler in
      source.measureInterval(using: scheduler)
        .map { $0 == .milliseconds(10) ? "s" : $0 == .milliseconds(30) ? "l" : "?" }
        .eraseToAnyPublisher()
    }
    #expect(line == "-s--l-|")
  }

  @Test("collect by time delivers the values of each window, and the rest at the end")
  func collectByTime() {
    let line = timeline("-a-b----c--|") { source, scheduler in
      source.collect(.byTime(scheduler, .milliseconds(50))).map { $0.joined() }
        .eraseToAnyPublisher()
    }
    #expect(line == "-----ab----c|")
    let rest = timeline("-a-b-----c-|") { source, scheduler in
      source.collect(.byTime(scheduler, .milliseconds(80))).map { $0.joined() }
        .eraseToAnyPublisher()
    }
    #expect(rest == "--------ab--(c|)")
  }

  @Test("collect by time or count delivers a full group at once")
  func collectByTimeOrCount() {
    let line = timeline("-abc----|") { source, scheduler in
      source.collect(.byTimeOrCount(scheduler, .milliseconds(60), 2)).map { $0.joined() }
        .eraseToAnyPublisher()
    }
    #expect(line == "--ab---c-|")
  }

  @Test("subscribe(on:) and buffer leave the timeline unchanged")
  func unchanged() {
    let subscribed = timeline("-a-b-|") { source, scheduler in
      source.subscribe(on: scheduler).eraseToAnyPublisher()
    }
    #expect(subscribed == "-a-b-|")
    let buffered = timeline("-a-b-c-|") { source, _ in
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher()
    }
    #expect(buffered == "-a-b-c-|")
  }

  @Test("retry with a policy waits between attempts")
  func retry() {
    let policy = Publishers.Backoff(
      maxRetries: 2, baseDelay: .milliseconds(10), maxDelay: .milliseconds(10), jitter: .none)
    let line = timeline("-a-#") { source, scheduler in
      source.retry(backoff: policy, scheduler: scheduler).eraseToAnyPublisher()
    }
    #expect(line == "-a---a---a-#")
    let prompt = timeline("-a-#") { source, scheduler in
      source.retry(backoff: .init(maxRetries: 2, maxDelay: .zero), scheduler: scheduler)
        .eraseToAnyPublisher()
    }
    #expect(prompt == "-a--a--a-#")
    let chained = timeline("-a-#") { source, scheduler in
      source.retry(
        backoff: policy, scheduler: scheduler,
        chainedPublisher: Timeline(signs: "-r-|", scheduler: scheduler)
      ).eraseToAnyPublisher()
    }
    #expect(chained == "-a------a------a-#")
    let chainedToNever = timeline("-a-#") { source, scheduler in
      source.retry(backoff: policy, scheduler: scheduler, chainedPublisher: Just("r"))
        .eraseToAnyPublisher()
    }
    #expect(chainedToNever == "-a---a---a-#")
  }

  @Test("expand feeds its values back")
  func expand() {
    let line = timeline("-1-|") { source, _ in
      source.expand { ($0.count < 4 ? [$0 + $0] : []).publisher.setFailureType(to: TestError.self) }
        .eraseToAnyPublisher()
    }
    #expect(line == "-1-(111111|)")
  }

  @Test("A timer ticks at whole intervals from the subscription, within its demand")
  func timer() {
    let scheduler = TestScheduler()
    let subscriber = TestSubscriber<Duration, Never>(demand: .max(2))
    Publishers.Timer(every: .milliseconds(30), on: scheduler).subscribe(subscriber)
    scheduler.advance(by: .milliseconds(100))
    #expect(subscriber.values == [.milliseconds(30), .milliseconds(60)])
    #expect(scheduler.pendingCount == 0)
    subscriber.request(.max(1))
    #expect(scheduler.pendingCount == 1)
    scheduler.advance(by: .milliseconds(100))
    #expect(
      subscriber.values == [.milliseconds(30), .milliseconds(60), .milliseconds(120)])
    subscriber.request(.unlimited)
    subscriber.cancel()
    #expect(scheduler.pendingCount == 0)
  }
}
