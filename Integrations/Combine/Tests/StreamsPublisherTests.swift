import Streams
import StreamsCombine
import StreamsTesting
import Synchronization
import Testing

@Suite("A Combine publisher as a Streams publisher")
struct StreamsPublisherTests {
  enum Fault: Error, Equatable {
    case broken
  }

  // MARK: Demand

  @Test("A subscriber receives the values of its demand, and the end after the last")
  func demand() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(2))
    combineNumbers(upTo: 5).streamsPublisher.subscribe(subscriber)
    #expect(subscriber.values == [1, 2])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2, 3, 4])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    #expect(subscriber.isFinished)
    #expect(subscriber.unaskedCount == 0)
  }

  @Test("Requests reach the publisher unchanged, except for none, on which Combine traps")
  func passedDemand() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    source.streamsPublisher.subscribe(subscriber)
    #expect(source.calls.isEmpty)
    for demand in [Subscribers.Demand.max(3), .none, .unlimited] { subscriber.request(demand) }
    #expect(source.calls == [.request(3), .request(nil)])
  }

  @Test("Demand during a delivery is returned to the publisher and not requested")
  func demandDuringDelivery() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(2)) { subscriber, value in
      subscriber.request(.max(3))
      return .max(value)
    }
    source.streamsPublisher.subscribe(subscriber)
    #expect(source.send(4) == 7)
    #expect(source.calls == [.request(2)])
  }

  @Test("A request inside another one follows it")
  func nestedRequests() {
    let source = PlayedPublisher<Never> { source, count in
      if count == 1 { source.send(1) }
      if count == 2 { source.send(completion: .finished) }
    }
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    source.streamsPublisher.subscribe(subscriber)
    subscriber.request(.max(1))
    subscriber.request(.max(2))
    subscriber.request(.max(4))
    #expect(source.calls == [.request(1), .request(2)])
    #expect(subscriber.values == [1])
    #expect(subscriber.isFinished)
  }

  @Test("A request from inside another reaches the publisher after it, not within it")
  func requestsInsideRequests() {
    let depth = Atomic<Int>(0)
    let deepest = Atomic<Int>(0)
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    let source = PlayedPublisher<Never> { _, count in
      deepest.max(depth.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      if count < 5 { subscriber.request(.max(count + 1)) }
      depth.subtract(1, ordering: .relaxed)
    }
    source.streamsPublisher.subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(source.calls == (1...5).map { .request($0) })
    #expect(deepest.load(ordering: .relaxed) == 1)
  }

  @Test("Demand adds up and saturates at unlimited")
  func saturation() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(.max - 1)) { _, _ in .max(9) }
    source.streamsPublisher.subscribe(subscriber)
    #expect(source.send(1) == 9)
    for value in 2...20 { source.send(value) }
    #expect(subscriber.values.count == 20)
  }

  // MARK: Ends

  @Test("A failure keeps its type, and needs no demand")
  func failure() {
    let failing: StreamsPublisher<CombineFail<Int, Fault>> =
      CombineFail(error: Fault.broken).streamsPublisher
    let subscriber = TestSubscriber<Int, Fault>(demand: .none)
    failing.subscribe(subscriber)
    #expect(subscriber.subscriptionCount == 1)
    #expect(subscriber.failure == .broken)
  }

  @Test("A publisher that ends without a subscription first sends its subscriber one")
  func endWithoutSubscription() {
    let source = PlayedPublisher<Never>(subscribesAtOnce: false)
    let subscriber = TestSubscriber<Int, Never>()
    source.streamsPublisher.subscribe(subscriber)
    #expect(violations { source.send(completion: .finished) } == [.endBeforeSubscription])
    #expect(subscriber.subscriptionCount == 1)
    #expect(subscriber.isFinished)
    #expect(violations { source.subscribe() } == [.secondSubscription])
    #expect(source.calls == [.cancel])
  }

  @Test("A cancel in the subscription of such an end is final")
  func cancelOfEndWithoutSubscription() {
    let source = PlayedPublisher<Never>(subscribesAtOnce: false)
    let completions = Atomic<Int>(0)
    source.streamsPublisher.subscribe(
      AnySubscriber(
        receiveSubscription: { $0.cancel() },
        receiveCompletion: { _ in completions.add(1, ordering: .relaxed) }))
    source.send(completion: .finished)
    #expect(completions.load(ordering: .relaxed) == 0)
    #expect(violations { source.subscribe() } == [])
    #expect(source.calls == [.cancel])
  }

  // MARK: Violations

  @Test("A value before the subscription is dropped")
  func early() {
    let source = PlayedPublisher<Never>(subscribesAtOnce: false)
    let subscriber = TestSubscriber<Int, Never>()
    source.streamsPublisher.subscribe(subscriber)
    #expect(violations { source.send(1) } == [.valueBeforeSubscription])
    source.subscribe()
    source.send(2)
    #expect(subscriber.values == [2])
  }

  @Test("Values without demand are dropped")
  func excess() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
    source.streamsPublisher.subscribe(subscriber)
    #expect(
      violations { for value in 1...3 { source.send(value) } } == [
        .moreThanDemanded, .moreThanDemanded,
      ])
    #expect(subscriber.values == [1])
    subscriber.request(.max(1))
    source.send(4)
    #expect(subscriber.values == [1, 4])
  }

  @Test("Signals after the end are dropped")
  func afterEnd() {
    let source = PlayedPublisher<Fault>()
    let subscriber = TestSubscriber<Int, Fault>()
    source.streamsPublisher.subscribe(subscriber)
    source.send(completion: .failure(.broken))
    #expect(
      violations {
        source.send(1)
        source.send(completion: .finished)
      } == [.valueAfterEnd, .secondEnd])
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions == [.failure(.broken)])
  }

  @Test("A second subscription is cancelled")
  func secondSubscription() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
    source.streamsPublisher.subscribe(subscriber)
    #expect(violations { source.subscribe() } == [.secondSubscription])
    #expect(source.calls == [.request(1), .cancel])
    source.send(1)
    #expect(subscriber.values == [1])
    #expect(subscriber.subscriptionCount == 1)
  }

  // MARK: Serial

  @Test("A value and an end from inside a delivery follow it, in order")
  func nestedSignals() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(4)) { _, value in
      if value == 1 {
        source.send(2)
        source.send(3)
      }
      if value == 2 {
        source.send(4)
        source.send(completion: .finished)
      }
      return .none
    }
    source.streamsPublisher.subscribe(subscriber)
    #expect(source.send(1) == 0)
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("A send from inside a delivery of a Combine subject follows the delivery")
  func nestedSends() {
    let subject = Unmarked(CombinePassthroughSubject<Int, Never>())
    let subscriber = TestSubscriber<Int, Never> { _, value in
      if value < 3 { subject.base.send(value + 1) }
      return .none
    }
    subject.base.streamsPublisher.subscribe(subscriber)
    subject.base.send(1)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.overlaps == 0)
  }

  @Test("Values that threads send at the same time all arrive, one at a time")
  func threads() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.streamsPublisher.subscribe(subscriber)
    onThreads(8) { thread in
      for value in 0..<1_000 { source.send(thread * 1_000 + value) }
    }
    source.send(completion: .finished)
    #expect(subscriber.values.sorted() == Array(0..<8_000))
    #expect(subscriber.overlaps == 0)
    for thread in 0..<8 {
      let own = subscriber.values.filter { $0 / 1_000 == thread }
      #expect(own == own.sorted())
    }
    #expect(subscriber.isFinished)
  }

  @Test("Requests of several threads all reach the publisher, one at a time")
  func requestingThreads() {
    let inside = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let sum = Atomic<Int>(0)
    let source = PlayedPublisher<Never> { _, count in
      if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
      sum.add(count, ordering: .relaxed)
      inside.subtract(1, ordering: .relaxed)
    }
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    source.streamsPublisher.subscribe(subscriber)
    onThreads(4) { _ in
      for _ in 0..<1_000 { subscriber.request(.max(1)) }
    }
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(sum.load(ordering: .relaxed) == 4_000)
  }

  @Test("After concurrent sends, requests and cancels there is one cancel and no later signal")
  func race() {
    for _ in 0..<200 {
      let source = PlayedPublisher<Never>()
      let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
      source.streamsPublisher.subscribe(subscriber)
      onThreads(4) { thread in
        switch thread {
        case 0: subscriber.cancel()
        case 1: subscriber.request(.max(5))
        default: for value in 0..<20 { source.send(value) }
        }
      }
      let count = subscriber.values.count
      source.send(1)
      source.send(completion: .finished)
      #expect(subscriber.values.count == count)
      #expect(subscriber.completions.isEmpty)
      #expect(source.calls.filter { $0 == .cancel }.count == 1)
      #expect(subscriber.overlaps == 0)
    }
  }

  // MARK: Stack

  @Test("A publisher that calls deeper with each request needs constant stack")
  func constantStack() {
    onThread {
      let sent = Atomic<Int>(0)
      let source = PlayedPublisher<Never> { source, _ in
        let value = sent.add(1, ordering: .relaxed).newValue
        if value <= manyValues { source.send(value) } else { source.send(completion: .finished) }
      }
      let count = Atomic<Int>(0)
      let subscriber = RequestingSubscriber { count.add(1, ordering: .relaxed) }
      source.streamsPublisher.subscribe(subscriber)
      // Demand during a delivery is returned, so the test requests outside of deliveries.
      while count.load(ordering: .relaxed) < manyValues { subscriber.request() }
      #expect(count.load(ordering: .relaxed) == manyValues)
    }
  }

  @Test("Values sent from inside one another need constant stack")
  func nestedStack() {
    onThread {
      let source = PlayedPublisher<Never>()
      let last = Atomic<Int>(0)
      source.streamsPublisher.subscribe(
        AnySubscriber(
          receiveSubscription: { $0.request(.unlimited) },
          receiveValue: { value in
            last.store(value, ordering: .relaxed)
            if value < manyValues { source.send(value + 1) }
            return .none
          }))
      source.send(1)
      #expect(last.load(ordering: .relaxed) == manyValues)
    }
  }

  @Test("A million values pass there and back at constant stack")
  func roundTripStack() {
    onThread {
      let count = Atomic<Int>(0)
      (1...manyValues).publisher.combinePublisher.streamsPublisher.subscribe(
        RequestingSubscriber { count.add(1, ordering: .relaxed) })
      #expect(count.load(ordering: .relaxed) == manyValues)
    }
  }

  // MARK: Cancel and release

  @Test("A cancel from inside the subscription is final")
  func cancelInSubscription() {
    let source = PlayedPublisher<Never>()
    let values = Atomic<Int>(0)
    source.streamsPublisher.subscribe(
      AnySubscriber(
        receiveSubscription: { subscription in
          subscription.request(.unlimited)
          subscription.cancel()
          subscription.request(.unlimited)
        },
        receiveValue: { _ in
          values.add(1, ordering: .relaxed)
          return .none
        }))
    #expect(violations { source.send(1) } == [])
    #expect(source.calls == [.cancel])
    #expect(values.load(ordering: .relaxed) == 0)
  }

  @Test("A cancel from inside a value drops the waiting values and the end")
  func cancelInValue() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never> { subscriber, _ in
      source.send(2)
      source.send(completion: .finished)
      subscriber.cancel()
      return .none
    }
    source.streamsPublisher.subscribe(subscriber)
    source.send(1)
    #expect(subscriber.values == [1])
    #expect(subscriber.completions.isEmpty)
    // The publisher has ended: there is nothing left to cancel.
    #expect(source.calls == [.request(nil)])
  }

  @Test("A cancel and a request after the end do not reach the publisher")
  func cancelAfterEnd() {
    let source = PlayedPublisher<Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
    source.streamsPublisher.subscribe(subscriber)
    source.send(completion: .finished)
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(source.calls == [.request(1)])
  }

  @Test(
    "A publisher that keeps its subscriber does not keep the downstream", arguments: [true, false])
  func release(byEnd: Bool) {
    let source = PlayedPublisher<Never>()
    weak var weakSubscriber: TestSubscriber<Int, Never>?
    weak var weakValue: Held?
    do {
      let held = Held()
      weakValue = held
      let subscriber = TestSubscriber<Int, Never> { _, _ in
        withExtendedLifetime(held) {}
        return .none
      }
      weakSubscriber = subscriber
      source.streamsPublisher.subscribe(subscriber)
      source.send(1)
      if byEnd { source.send(completion: .finished) } else { subscriber.cancel() }
    }
    #expect(weakSubscriber == nil)
    #expect(weakValue == nil)
  }

  private final class Held: Sendable {}
}

/// Asks for one value at a time, from inside of the one before.
private final class RequestingSubscriber: Streams.Subscriber {
  typealias Input = Int
  typealias Failure = Never

  private let subscription = Mutex<(any Streams.Subscription)?>(nil)
  private let onValue: @Sendable () -> Void

  init(onValue: @escaping @Sendable () -> Void) {
    self.onValue = onValue
  }

  func request() {
    subscription.withLock { $0 }?.request(.max(1))
  }

  func receive(subscription: any Streams.Subscription) {
    self.subscription.withLock { $0 = subscription }
    request()
  }

  func receive(_ input: Int) -> Streams.Subscribers.Demand {
    onValue()
    request()
    return .none
  }

  func receive(completion: Streams.Subscribers.Completion<Never>) {
    subscription.withLock { $0 = nil }
  }
}
