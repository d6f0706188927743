import Dispatch
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A duration that means never", .leakFree)
struct NeverTests {
  static let times: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.max) * 2, Duration(attoseconds: .max),
    Duration(attoseconds: .min), .seconds(Int64.min),
  ]

  static let kinds: [Setup<@Sendable () -> any Scheduler>] = [
    Setup("continuous") { .continuous },
    Setup("suspending") { .suspending },
    Setup("main actor") { .mainActor },
    Setup("queue") { DispatchQueue(label: "never") },
    Setup("immediate") { .immediate },
    Setup("test") { TestScheduler() },
  ]

  @Test("Every scheduler accepts it", arguments: kinds, times)
  func everyScheduler(kind: Setup<@Sendable () -> any Scheduler>, time: Duration) {
    kind.make().schedule(after: time) {}.cancel()
  }

  @Test("Every operator accepts it, on every scheduler", arguments: kinds, times)
  func everyOperator(kind: Setup<@Sendable () -> any Scheduler>, time: Duration) {
    let scheduler = kind.make()
    let policy = Publishers.Backoff(baseDelay: time, maxDelay: time, totalTime: time)
    let build: [@Sendable (IntStream) -> IntStream] = [
      { $0.delay(for: time, scheduler: scheduler).any },
      { $0.debounce(for: time, scheduler: scheduler).any },
      { $0.throttle(for: time, scheduler: scheduler, latest: true).any },
      { $0.timeout(time, scheduler: scheduler).any },
      { $0.collect(.byTime(scheduler, time)).map(\.count).any },
      { $0.measureInterval(using: scheduler).map { _ in 0 }.any },
      { $0.share(replay: 1, resetOnLastLeaving: .after(time, scheduler: scheduler)).any },
      { $0.retry(backoff: policy, scheduler: scheduler).any },
      { _ in
        Publishers.Timer(every: time, on: scheduler).map { _ in 0 }
          .setFailureType(to: TestError.self).any
      },
    ]
    for make in build {
      let source = PassthroughSubject<Int, TestError>()
      let subscriber = TestSubscriber<Int, TestError>(demand: .max(2))
      make(source.any).subscribe(subscriber)
      source.send(1)
      source.send(2)
      source.send(completion: .failure(.first))
      subscriber.cancel()
    }
    // The scheduled work holds it.
    (scheduler as? TestScheduler)?.run(limit: 100)
  }

  @Test("A very distant time and its grid do not overflow")
  func grid() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(Int64.max))
    let subscriber = TestSubscriber<Duration, Never>(demand: .max(1))
    Publishers.Timer(every: Duration(attoseconds: .max), on: scheduler).subscribe(subscriber)
    scheduler.advance(by: .seconds(Int64.max))
    #expect(subscriber.values.isEmpty)
    subscriber.cancel()
  }
}
