import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("subscribe(on:)", .leakFree)
struct SubscribeOnTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("subscribe(on:) subscribes and requests in jobs of the scheduler")
  func jobs() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(2))
    source.subscribe(on: scheduler).subscribe(subscriber)
    #expect(subscriber.subscriptionCount == 1)
    #expect(source.subscriptionCount == 0)
    scheduler.run()
    #expect(source.subscriptionCount == 1)
    #expect(source.requests.reduce(.none, +) == .max(2))
    subscriber.request(.max(3))
    #expect(source.requests.reduce(.none, +) == .max(2))
    scheduler.run()
    #expect(source.requests.reduce(.none, +) == .max(5))
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(subscriber.values == [1])
    #expect(subscriber.failure == .first)
  }

  @Test("C-4: a cancel before the job leaves the source unsubscribed and releases it")
  func cancelBefore() {
    let scheduler = TestScheduler()
    let subscriber = Subscriber()
    let released: Weak<TestPublisher<Int, TestError>>
    do {
      let source = TestPublisher<Int, TestError>()
      released = Weak(source)
      source.subscribe(on: scheduler).subscribe(subscriber)
    }
    #expect(!released.isReleased)
    subscriber.cancel()
    #expect(released.isReleased)
    scheduler.run()
    #expect(subscriber.signals.count == 1)
  }

  @Test("C-4: a cancel after the job cancels the source at once")
  func cancelAfter() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.subscribe(on: scheduler).subscribe(subscriber)
    scheduler.run()
    subscriber.cancel()
    #expect(source.cancelCount == 1)
  }
}
