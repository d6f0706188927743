import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("TestPublisher and TestSubscriber", .leakFree)
struct TestPublisherTests {
  enum Failure: Error {
    case failed
  }

  @Test("The publisher sends the given signals and records requests")
  func sends() {
    let publisher = TestPublisher<Int, Failure>()
    #expect(publisher.send(0) == .none)
    let subscriber = TestSubscriber<Int, Failure>(demand: .max(1)) { _, value in .max(value) }
    publisher.subscribe(subscriber)
    #expect(publisher.subscriptionCount == 1)
    #expect(publisher.subscriberCount == 1)
    #expect(publisher.requests == [.max(1)])
    #expect(publisher.send(1) == .max(1))
    #expect(publisher.send(2) == .max(2))
    subscriber.request(.unlimited)
    #expect(publisher.requests == [.max(1), .unlimited])
    publisher.send(completion: .finished)
    #expect(publisher.subscriberCount == 0)
    #expect(publisher.send(3) == .none)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
    #expect(subscriber.failure == nil)
  }

  @Test("The publisher releases a subscriber that cancels, and counts the cancel")
  func cancel() {
    let publisher = TestPublisher<Int, Failure>()
    let subscriber = TestSubscriber<Int, Failure>()
    publisher.subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    #expect(publisher.cancelCount == 2)
    #expect(publisher.subscriberCount == 0)
    publisher.send(1)
    publisher.send(completion: .failure(.failed))
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completion == nil)
  }

  @Test("The publisher breaks the rules on purpose, and the subscriber records the violations")
  func misbehaves() {
    let publisher = TestPublisher<Int, Failure>()
    let subscriber = TestSubscriber<Int, Failure>(demand: .none)
    publisher.subscribe(subscriber)
    publisher.sendSubscription(Subscriptions.empty)
    publisher.send(1)
    publisher.send(completion: .failure(.failed), forgetting: false)
    publisher.send(completion: .finished, forgetting: false)
    publisher.send(2)
    #expect(subscriber.subscriptionCount == 2)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.completions.count == 2)
    #expect(subscriber.failure == .failed)
    #expect(!subscriber.isFinished)
    #expect(subscriber.signals.count == 6)
  }

  @Test("The publisher calls back after each subscription and sends to the latest subscriber")
  func latest() {
    let calls = Atomic<Int>(0)
    let publisher = TestPublisher<Int, Failure> { _ in calls.add(1, ordering: .relaxed) }
    let first = TestSubscriber<Int, Failure>()
    let second = TestSubscriber<Int, Failure>()
    publisher.subscribe(first)
    publisher.subscribe(second)
    publisher.send(1)
    #expect(calls.load(ordering: .relaxed) == 2)
    #expect(first.values.isEmpty)
    #expect(second.values == [1])
  }

  @Test("A publisher without a subscriber ignores an end")
  func nobody() {
    let publisher = TestPublisher<Int, Failure>()
    publisher.send(completion: .finished)
    publisher.sendSubscription(Subscriptions.empty)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("The subscriber detects overlapping signals, and accepts consecutive ones")
  func overlaps() {
    let inner = TestSubscriber<Int, Failure> { subscriber, value in
      value == 1 ? subscriber.receive(2) : .none
    }
    _ = inner.receive(0)
    #expect(inner.overlaps == 0)
    _ = inner.receive(1)
    #expect(inner.overlaps == 1)
    #expect(inner.values == [0, 1, 2])
  }

  @Test("Values may arrive inside the first request without counting as an overlap")
  func synchronousValues() {
    let subscriber = TestSubscriber<Int, Never>()
    [1, 2, 3].publisher.subscribe(subscriber)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.values == [1, 2, 3])
  }
}
