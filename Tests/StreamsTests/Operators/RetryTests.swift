import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("retry", .leakFree)
struct RetryTests {
  @Test("retry subscribes again at each failure up to its limit, then fails")
  func limit() {
    let source = TestPublisher<Int, TestError> { $0.send(completion: .failure(.first)) }
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(3).subscribe(subscriber)
    #expect(source.subscriptionCount == 4)
    #expect(subscriber.kinds == ["subscription", "failure first"])
  }

  @Test("retry does not retry if the number is not positive", arguments: [0, -1, Int.min])
  func none(retries: Int) {
    let source = TestPublisher<Int, TestError> { $0.send(completion: .failure(.first)) }
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(retries).subscribe(subscriber)
    #expect(source.subscriptionCount == 1)
    #expect(subscriber.failure == .first)
  }

  @Test("retry delivers again what earlier attempts delivered, and finishes with the source")
  func again() {
    let attempts = Tally()
    let subscriber = TestSubscriber<Int, TestError>()
    Deferred { () -> Stage.Stream in
      let values = [1, 2].publisher.setFailureType(to: TestError.self)
      return attempts.add() < 3 ? values.append(.first) : values.eraseToAnyPublisher()
    }.retry(5).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "1", "2", "1", "2", "finished"])
  }

  @Test("P25: the next attempt receives the demand that is left: 5, 4, 3")
  func remainingDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(5))
    source.retry(5).subscribe(subscriber)
    #expect(source.requests == [.max(5)])
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(source.requests == [.max(5), .max(4)])
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(source.requests == [.max(5), .max(4), .max(3)])
    #expect(subscriber.values == [1, 2])
  }

  @Test("P25: demand requested or returned in between is carried over once")
  func grantedDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, value in
      value == 1 ? .max(2) : .none
    }
    source.retry(5).subscribe(subscriber)
    #expect(source.send(1) == .max(2))
    subscriber.request(.max(4))
    source.send(completion: .failure(.first))
    #expect(source.requests == [.max(1), .max(4), .max(6)])
    source.send(completion: .failure(.first))
    #expect(source.requests == [.max(1), .max(4), .max(6), .max(6)])
  }

  @Test("P25: unlimited demand stays unlimited")
  func unlimitedDemand() {
    let source = TestPublisher<Int, TestError>()
    source.retry(1).subscribe(TestSubscriber<Int, TestError>())
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(source.requests == [.unlimited, .unlimited])
  }

  @Test("C-4: a cancel while the source is subscribed again is final")
  func cancelBetween() {
    let subscriber = TestSubscriber<Int, TestError>()
    let attempts = Tally()
    let subscription = CountingSubscription()
    let stray = Box<[AnySubscriber<Int, TestError>]>([])
    Handing { inner in
      stray.set((stray.value ?? []) + [inner])
      if attempts.add() == 2 {
        subscriber.cancel()
        inner.receive(subscription: subscription)
      }
    }.retry(5).subscribe(subscriber)
    stray.value?.first?.receive(completion: .failure(.first))
    #expect(attempts.count == 2)
    #expect(subscription.cancels.count == 1)
    #expect(subscription.requests.count == 0)
    _ = stray.value?.last?.receive(3)
    stray.value?.last?.receive(completion: .failure(.first))
    stray.set(nil)
    #expect(attempts.count == 2)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-4: a cancel stops endless synchronous attempts")
  func cancelEndless() {
    let attempts = Tally()
    let subscriber = TestSubscriber<Int, TestError> { subscriber, _ in
      if attempts.count == 10 { subscriber.cancel() }
      return .none
    }
    Deferred { () -> Stage.Stream in
      attempts.add()
      return Just(1).setFailureType(to: TestError.self).append(.first)
    }.retry(.max).subscribe(subscriber)
    #expect(attempts.count == 10)
    #expect(subscriber.completion == nil)
  }

  @Test("C-4: after a cancel a failure does not subscribe again")
  func cancelThenFailure() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.retry(5).subscribe(subscriber)
    subscriber.cancel()
    #expect(source.cancelCount == 1)
    source.send(completion: .failure(.first))
    #expect(source.subscriptionCount == 1)
  }

  @Test("Attempts that fail on several threads are retried one after another")
  func threads() {
    let attempts = Tally()
    let done = Box<Bool>()
    let source = Single<Int, TestError> { resolve in
      attempts.add()
      _ = raceEnds(threads: 2) { _, _ in resolve(.failure(.first)) }
      return AnyCancellable {}
    }
    let cancellable = source.retry(20).sink(
      receiveCompletion: { _ in done.set(true) }, receiveValue: { _ in })
    #expect(attempts.count == 21)
    #expect(done.value == true)
    withExtendedLifetime(cancellable) {}
  }

  @Test("C-3: an attempt receives no request if there is no demand")
  func noDemand() {
    let source = TestPublisher<Int, TestError>()
    source.retry(2).subscribe(TestSubscriber<Int, TestError>(demand: .none))
    source.send(completion: .failure(.first))
    #expect(source.subscriptionCount == 2)
    #expect(source.requests.isEmpty)
  }
}
