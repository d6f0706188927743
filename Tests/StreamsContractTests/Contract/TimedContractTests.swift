import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("The contract of timed operators", .leakFree)
struct TimedContractTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-3: the values of timed operators stay within the demand", arguments: TimedStage.all)
  func demand(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    scheduler.advance()
    #expect(
      source.requests.filter { $0 > .none } == (stage.isGreedy ? [.unlimited] : []))
    var expected = 0
    for more in [1, 1, 2] {
      subscriber.request(.max(more))
      expected += more
      scheduler.advance()
      for _ in 0..<more {
        source.send(1)
        scheduler.advance(by: .milliseconds(20))
      }
      #expect(subscriber.values.count == expected)
    }
    if stage.isGreedy {
      source.send(1)
      scheduler.advance(by: .milliseconds(20))
      #expect(subscriber.values.count == expected)
      subscriber.request(.max(1))
      scheduler.advance(by: .milliseconds(20))
      #expect(subscriber.values.count == expected + 1)
    }
    #expect(subscriber.overlaps == 0)
  }

  /// Those that keep the last value until the end of a time.
  static let waiting = TimedStage.named(["debounce", "throttle, latest", "collect, by time"])

  @Test("The table lists all operators that keep a value")
  func waitingNames() {
    #expect(Self.waiting.count == 3)
  }

  @Test(
    "A value that waits at the end waits for demand, and the end follows it", arguments: waiting)
  func endWaits(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    source.send(7)
    source.send(completion: .finished)
    scheduler.run()
    #expect(subscriber.signals.count == 1)
    subscriber.request(.max(1))
    scheduler.run()
    #expect(subscriber.values == [7])
    #expect(subscriber.isFinished)
  }

  @Test("A failure needs no demand", arguments: TimedStage.all)
  func failureWithoutDemand(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    scheduler.advance()
    // A value without demand does not delay it.
    if stage.isGreedy { source.send(1) }
    scheduler.advance(by: .milliseconds(20))
    source.send(completion: .failure(.second))
    scheduler.advance(by: .milliseconds(10))
    #expect(subscriber.failure == .second)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "C-4: a cancel is final, leaves no timer, and reaches the source once",
    arguments: TimedStage.all)
  func cancel(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    scheduler.advance()
    source.send(1)
    let before = subscriber.values.count
    subscriber.cancel()
    subscriber.cancel()
    #expect(source.cancelCount == 1)
    scheduler.run()
    #expect(scheduler.now < .seconds(1))
    #expect(subscriber.values.count == before)
    #expect(subscriber.completions.isEmpty)
  }

  @Test("C-4: a cancel from inside a value is final", arguments: TimedStage.all)
  func cancelInside(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber { subscriber, _ in
      subscriber.cancel()
      return .unlimited
    }
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    scheduler.advance()
    for value in 0..<3 { source.send(value) }
    source.send(completion: .finished)
    scheduler.run()
    #expect(subscriber.values.count == 1)
    #expect(subscriber.completions.isEmpty)
    #expect(source.cancelCount <= 1)
  }

  @Test(
    "C-7: the end releases the subscriber, even if the subscription is still held",
    arguments: TimedStage.all)
  func release(stage: TimedStage) {
    let scheduler = TestScheduler()
    for isCancelled in [true, false] {
      let source = TestPublisher<Int, TestError>()
      let keeper = SubscriptionKeeper()
      let released: Weak<KeptSubscriber<Int, TestError>>
      do {
        let subscriber = KeptSubscriber<Int, TestError>(keeper: keeper)
        released = Weak(subscriber)
        stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
      }
      scheduler.advance()
      source.send(1)
      if isCancelled {
        keeper.subscription?.cancel()
      } else {
        source.send(completion: .finished)
        scheduler.advance(by: .milliseconds(20))
      }
      #expect(released.isReleased)
    }
  }

  @Test(
    "C-5: very many values pass on a small stack, with a scheduler that does not wait",
    arguments: TimedStage.all)
  func constantStack(stage: TimedStage) {
    // Time that does not wait is up at once.
    if stage.name == "timeout" { return }
    let seen = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack {
        let source = (0..<manyTimes).publisher.setFailureType(to: TestError.self)
        stage.attach(source.eraseToAnyPublisher(), .immediate).subscribe(
          TestSubscriberOfOne(seen: seen, ends: ends))
      })
    #expect(seen.count == manyTimes)
    #expect(ends.count == 1)
  }

  @Test("P26: debounce and timeout do not set a timer for each value")
  func timerChurn() {
    let stages = TimedStage.named(["debounce", "timeout"])
    #expect(stages.count == 2)
    for stage in stages {
      let scheduler = CountingScheduler()
      let source = TestPublisher<Int, TestError>()
      let subscriber = Subscriber()
      stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
      for value in 0..<1_000 { source.send(value) }
      #expect(scheduler.timers.count == 1)
      for _ in 0..<100 {
        scheduler.base.advance(by: .milliseconds(1))
        source.send(0)
      }
      #expect(scheduler.timers.count <= 12)
      subscriber.cancel()
      scheduler.base.run()
    }
  }
}

/// Asks for one value after another.
private final class TestSubscriberOfOne: Subscriber {
  let seen: Tally
  let ends: Tally

  init(seen: Tally, ends: Tally) {
    self.seen = seen
    self.ends = ends
  }

  func receive(subscription: any Subscription) { subscription.request(.max(1)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    seen.add()
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<TestError>) { ends.add() }
}

/// Counts the timers that are set.
private struct CountingScheduler: Scheduler {
  let base = TestScheduler()
  let timers = Tally()

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    timers.add()
    return base.schedule(after: delay, action)
  }
}
