import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Publishers.Timer", .leakFree)
struct TimerTests {
  @Test("Each subscriber has its own ticks, counted from its subscription")
  func cold() {
    let scheduler = TestScheduler()
    let timer = Publishers.Timer(every: .milliseconds(10), on: scheduler)
    let first = TestSubscriber<Duration, Never>(demand: .max(2))
    let second = TestSubscriber<Duration, Never>(demand: .max(2))
    timer.subscribe(first)
    scheduler.advance(by: .milliseconds(5))
    timer.subscribe(second)
    scheduler.run()
    #expect(first.values == [.milliseconds(10), .milliseconds(20)])
    #expect(second.values == [.milliseconds(15), .milliseconds(25)])
  }

  @Test("Ticks that a busy scheduler misses are skipped, and the next comes at its usual time")
  func missed() {
    let clock = LateScheduler()
    let subscriber = TestSubscriber<Duration, Never>(demand: .max(3))
    Publishers.Timer(every: .seconds(1), on: clock).subscribe(subscriber)
    clock.fire(at: .milliseconds(1_000))
    clock.fire(at: .milliseconds(4_300))
    clock.fire(at: .milliseconds(5_000))
    #expect(subscriber.values == [.seconds(1), .milliseconds(4_300), .seconds(5)])
    #expect(clock.delays == [.seconds(1), .seconds(1), .milliseconds(700)])
  }

  @Test("C-4: a cancel from inside a tick stops the ticks")
  func cancelInside() {
    let scheduler = TestScheduler()
    let subscriber = TestSubscriber<Duration, Never> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    Publishers.Timer(every: .milliseconds(10), on: scheduler).subscribe(subscriber)
    scheduler.run(limit: 100)
    #expect(subscriber.values.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("C-5: very many ticks of a scheduler that does not wait need constant stack")
  func constantStack() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        Publishers.Timer(every: .zero, on: .immediate).subscribe(
          AnySubscriber(
            receiveSubscription: { $0.request(.max(manyTimes)) },
            receiveValue: { _ in
              seen.add()
              return .none
            }, receiveCompletion: { _ in }))
      })
    #expect(seen.count == manyTimes)
  }
}

/// A scheduler whose one timer fires when a test says, as late as it says.
private final class LateScheduler: Scheduler {
  private struct State: Sendable {
    var now = Duration.zero
    var delays: [Duration] = []
    var work: Work?
  }

  private struct Work: Sendable {
    let action: @Sendable () -> Void
  }

  private let state = Lock(State())

  var now: Duration { state.withLock { $0.now } }
  var delays: [Duration] { state.withLock { $0.delays } }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    state.withLock { state in
      state.delays.append(delay)
      state.work = Work(action: action)
    }
    return Subscriptions.empty
  }

  func fire(at now: Duration) {
    let work = state.withLock { state in
      state.now = now
      return state.work.take()
    }
    work?.action()
  }
}
