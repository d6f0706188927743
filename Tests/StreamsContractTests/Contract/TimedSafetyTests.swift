import Dispatch
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Timed operators on threads and with misbehaving neighbors", .leakFree)
struct TimedSafetyTests {
  @Test(
    "C-1: values, timers and demand on many threads arrive one at a time", arguments: TimedStage.all
  )
  func threads(stage: TimedStage) {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let source = PassthroughSubject<Int, TestError>()
    let done = DispatchSemaphore(value: 0)
    let plain = Plain()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(100)) { _, _ in
      plain.touch()
      return .max(1)
    }
    stage.attach(source.eraseToAnyPublisher(), queue)
      .handleEvents(receiveCompletion: { _ in done.signal() }).subscribe(subscriber)
    #expect(
      raceEnds(threads: 3) { _, thread in
        for value in 0..<2_000 {
          if thread == 0 { subscriber.request(.max(1)) } else { source.send(value) }
        }
      })
    queue.sync(flags: .barrier) {}
    source.send(completion: .failure(.first))
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-4: 1,000 races of a timer with a cancel leave nothing behind", arguments: TimedStage.all)
  func cancelRace(stage: TimedStage) {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    for _ in 0..<1_000 {
      let released: Weak<KeptSubscriber<Int, TestError>>
      let keeper = SubscriptionKeeper()
      let source = TestPublisher<Int, TestError>()
      do {
        let subscriber = KeptSubscriber<Int, TestError>(keeper: keeper)
        released = Weak(subscriber)
        stage.attach(source.eraseToAnyPublisher(), QuickScheduler(queue: queue))
          .subscribe(subscriber)
      }
      source.send(1)
      keeper.subscription?.cancel()
      queue.sync(flags: .barrier) {}
      #expect(released.isReleased)
      #expect(source.subscriberCount == 0)
    }
  }

  @Test(
    "C-6: dropped values are released without a lock, whether they come slowly or at once",
    arguments: [Duration.zero, .seconds(1)])
  func releaseWithoutLock(pause: Duration) {
    typealias Stream = AnyPublisher<ReleaseProbe, TestError>
    let scheduler = TestScheduler()
    let source = PassthroughSubject<ReleaseProbe, TestError>()
    let streams: [Stream] = [
      source.debounce(for: .seconds(1), scheduler: scheduler).eraseToAnyPublisher(),
      source.throttle(for: .seconds(1), scheduler: scheduler, latest: true).eraseToAnyPublisher(),
      source.throttle(for: .seconds(1), scheduler: scheduler, latest: false).eraseToAnyPublisher(),
      source.delay(for: .seconds(1), scheduler: scheduler).eraseToAnyPublisher(),
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher(),
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher(),
    ]
    for stream in streams {
      let releases = Tally()
      let subscriber = TestSubscriber<Void, TestError>(demand: .none)
      stream.map { _ in }.subscribe(subscriber)
      let send: @Sendable () -> Void = {
        source.send(
          ReleaseProbe {
            releases.add()
            subscriber.request(.max(0))
            subscriber.cancel()
          })
      }
      let didEnd = runsOnSmallStack(within: 20) {
        for _ in 0..<3 {
          send()
          scheduler.advance(by: pause)
        }
        subscriber.cancel()
      }
      #expect(didEnd)
      #expect(releases.count == 3)
    }
  }

  @Test(
    "C-15: signals after the end and a second subscription are dropped and reported",
    arguments: TimedStage.all)
  func contractViolations(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    let second = CountingSubscription()
    stage.attach(source.eraseToAnyPublisher(), scheduler).subscribe(subscriber)
    scheduler.advance()
    let reports = violations {
      source.sendSubscription(second)
      source.send(completion: .finished, forgetting: false)
      source.send(1)
      source.send(completion: .finished, forgetting: false)
    }
    #expect(reports.map(\.rule) == [.secondSubscription, .valueAfterEnd, .secondEnd])
    #expect(second.cancels.count == 1)
    scheduler.run()
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions.count == 1)
    source.send(completion: .finished)
  }

  @Test(
    "C-8: no upstream is subscribed and no timer set before there is a subscriber",
    arguments: TimedStage.all)
  func laziness(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let stream = stage.attach(source.eraseToAnyPublisher(), scheduler)
    scheduler.run()
    #expect(source.subscriptionCount == 0)
    for round in 1...2 {
      stream.subscribe(TestSubscriber())
      scheduler.advance()
      #expect(source.subscriptionCount == round)
    }
  }

  @Test(
    "The value that a late throttle timer left waiting competes with the next", arguments: [1, 5])
  func lateThrottle(seconds: Int) {
    for latest in [true, false] {
      let scheduler = StoppedTimers()
      let source = PassthroughSubject<Int, TestError>()
      let subscriber = TestSubscriber<Int, TestError>()
      source.throttle(for: .seconds(1), scheduler: scheduler, latest: latest).subscribe(subscriber)
      source.send(1)
      source.send(2)
      scheduler.base.advance(by: .seconds(seconds))
      source.send(3)
      #expect(subscriber.values == [1, latest ? 3 : 2])
    }
  }

  @Test("C-6: the value that a late throttle timer left waiting is released without a lock")
  func lateRelease() {
    let scheduler = StoppedTimers()
    let releases = Tally()
    let source = PassthroughSubject<ReleaseProbe, TestError>()
    let subscriber = TestSubscriber<Void, TestError>(demand: .none)
    source.throttle(for: .seconds(1), scheduler: scheduler, latest: true).map { _ in }
      .subscribe(subscriber)
    let send: @Sendable () -> Void = {
      source.send(
        ReleaseProbe {
          releases.add()
          subscriber.cancel()
        })
    }
    let didEnd = runsOnSmallStack(within: 20) {
      // The first waits for demand, the second for the timer; the third drops both.
      send()
      send()
      scheduler.base.advance(by: .seconds(5))
      send()
      subscriber.cancel()
    }
    #expect(didEnd)
    #expect(releases.count == 3)
  }
}

/// Its state is a plain variable on purpose: ThreadSanitizer then sees whether deliveries happen
/// one after another.
private final class Plain: @unchecked Sendable {
  // Unchecked because the contract under test (C-1) makes it safe.
  private var touches = 0

  func touch() { touches += 1 }
}

/// A queue on which every delay is over at once, on another thread.
private struct QuickScheduler: Scheduler {
  let queue: DispatchQueue

  var now: Duration { queue.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { queue.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    queue.schedule { action.run() }
    return action
  }
}

/// Time passes, work runs at once, and timers never fire.
private struct StoppedTimers: Scheduler {
  let base = TestScheduler()

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable { Subscriptions.empty }
}
