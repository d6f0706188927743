import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("retryOn", .leakFree)
struct RetryOnTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  /// A source that fails so many times, then gives one value.
  static func failing(
    _ times: Int, with error: TestError = .first, attempts: Tally = Tally()
  ) -> some Publisher<Int, TestError> {
    Deferred {
      attempts.add() <= times
        ? Result<Int, TestError>.failure(error).publisher
        : Result<Int, TestError>.success(attempts.count).publisher
    }
  }

  @Test("4a: the chained publisher runs before every matching attempt, also before later ones")
  func chainedEachTime() {
    let attempts = Tally()
    let refreshes = Tally()
    let subscriber = Subscriber()
    Self.failing(3, attempts: attempts)
      .retryOn(.first, retries: 5, chainedPublisher: Deferred { Just(refreshes.add()) })
      .subscribe(subscriber)
    #expect(attempts.count == 4)
    #expect(refreshes.count == 3)
    #expect(subscriber.kinds == ["subscription", "4", "finished"])
  }

  @Test("4b: a chained publisher of many values makes exactly one new attempt")
  func chainedValues() {
    let source = TestPublisher<Int, TestError>()
    let chained = TestPublisher<String, TestError>()
    source.retryOn(.first, retries: 5, chainedPublisher: chained).subscribe(Subscriber())
    source.send(completion: .failure(.first))
    #expect(chained.requests == [.unlimited])
    for word in ["a", "b", "c"] { chained.send(word) }
    #expect(source.subscriptionCount == 1)
    chained.send(completion: .finished)
    #expect(source.subscriptionCount == 2)
    #expect(chained.subscriptionCount == 1)
  }

  @Test("4c: a chained publisher that finishes without a value lets the retry continue")
  func chainedEmpty() {
    let subscriber = Subscriber()
    Self.failing(1).retryOn(.first, retries: 1, chainedPublisher: Empty<Int, TestError>())
      .subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
  }

  @Test("4d: the chained publisher may have any output, and its values are not delivered")
  func chainedOutput() {
    let subscriber = Subscriber(demand: .max(1))
    Self.failing(1).retryOn(.first, retries: 1, chainedPublisher: ["a", "b"].publisher)
      .subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
  }

  @Test("4e: the chained publisher's failure is the stream's")
  func chainedFailure() {
    let attempts = Tally()
    let subscriber = Subscriber()
    Self.failing(1, attempts: attempts)
      .retryOn(
        .first, retries: 3,
        chainedPublisher: Fail(outputType: String.self, failure: TestError.third)
      ).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure third"])
    #expect(attempts.count == 1)
  }

  @Test("4f: a predicate chooses the failures to retry, by anything they carry")
  func predicate() {
    let attempts = Tally()
    let source = Deferred { Fail(outputType: Int.self, failure: OpaqueError(code: attempts.add())) }
    let subscriber = TestSubscriber<Int, OpaqueError>()
    source.retryOn({ $0.code < 3 }, retries: 10, chainedPublisher: Just(()))
      .subscribe(subscriber)
    #expect(attempts.count == 3)
    #expect(subscriber.failure?.code == 3)
    let typed = TestSubscriber<Int, OpaqueError>()
    Deferred { Fail(outputType: Int.self, failure: OpaqueError(code: 1)) }
      .retryOn({ $0.code == 1 }, retries: 2, chainedPublisher: Empty<Int, OpaqueError>())
      .subscribe(typed)
    #expect(typed.failure?.code == 1)
  }

  @Test("4h: a cancel between the failure and the refresh is final, and nothing is requested")
  func cancelInPredicate() {
    let source = TestPublisher<Int, TestError>()
    let chained = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.retryOn(
      { _ in
        subscriber.cancel()
        return true
      }, retries: 3, chainedPublisher: chained
    ).subscribe(subscriber)
    source.send(completion: .failure(.first))
    #expect(chained.subscriptionCount == 0)
    #expect(source.subscriptionCount == 1)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("4h: a cancel inside the predicate is final even if the failure does not match")
  func cancelInRefusingPredicate() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.retryOn(
      { _ in
        subscriber.cancel()
        return false
      }, retries: 3, chainedPublisher: Just(1)
    ).subscribe(subscriber)
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("4h: a cancel while the chained publisher runs cancels it and is final")
  func cancelWhileChained() {
    let source = TestPublisher<Int, TestError>()
    let chained = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.retryOn(.first, retries: 3, chainedPublisher: chained).subscribe(subscriber)
    source.send(completion: .failure(.first))
    subscriber.cancel()
    #expect(chained.cancelCount == 1)
    #expect(source.cancelCount == 0)
    chained.send(completion: .finished)
    #expect(source.subscriptionCount == 1)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("4h: a cancel while the chained publisher is being subscribed is final")
  func cancelInChainedSubscribing() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    let subscription = CountingSubscription()
    let chained = Handing {
      subscriber.cancel()
      $0.receive(subscription: subscription)
      $0.receive(completion: .finished)
    }
    source.retryOn(.first, retries: 3, chainedPublisher: chained).subscribe(subscriber)
    source.send(completion: .failure(.first))
    #expect(subscription.cancels.count == 1)
    #expect(subscription.requests.count == 0)
    #expect(source.subscriptionCount == 1)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("4i: values delivered before a failure are delivered again by the next attempt")
  func deliversAgain() {
    let attempts = Tally()
    let subscriber = Subscriber()
    Deferred { () -> Stage.Stream in
      let value = Just(7).setFailureType(to: TestError.self)
      return attempts.add() == 1 ? value.append(.first) : value.eraseToAnyPublisher()
    }.retryOn(.first, retries: 1, chainedPublisher: Just(0)).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "7", "7", "finished"])
  }

  @Test("4k: a failure that does not match is not retried")
  func otherFailure() {
    let attempts = Tally()
    let refreshes = Tally()
    let subscriber = Subscriber()
    Self.failing(1, with: .second, attempts: attempts)
      .retryOn(.first, retries: 5, chainedPublisher: Deferred { Just(refreshes.add()) })
      .subscribe(subscriber)
    #expect(subscriber.failure == .second)
    #expect(attempts.count == 1)
    #expect(refreshes.count == 0)
  }

  @Test(
    "retryOn retries up to its limit, and never if the limit is not positive",
    arguments: [
      -1, 0, 1, 4,
    ])
  func limit(retries: Int) {
    let attempts = Tally()
    let subscriber = Subscriber()
    Self.failing(.max, attempts: attempts)
      .retryOn(.first, retries: retries, chainedPublisher: Just(0)).subscribe(subscriber)
    #expect(attempts.count == max(retries, 0) + 1)
    #expect(subscriber.failure == .first)
  }

  @Test(
    "P25: the remaining demand goes to the next attempt, and none of it to the chained publisher")
  func demand() {
    let source = TestPublisher<Int, TestError>()
    let chained = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(5))
    source.retryOn(.first, retries: 3, chainedPublisher: chained).subscribe(subscriber)
    source.send(1)
    source.send(completion: .failure(.first))
    subscriber.request(.max(2))
    #expect(chained.requests == [.unlimited])
    chained.send(9)
    chained.send(completion: .finished)
    #expect(source.requests == [.max(5), .max(6)])
    source.send(2)
    source.send(completion: .failure(.first))
    chained.send(completion: .finished)
    #expect(source.requests == [.max(5), .max(6), .max(5)])
  }

  @Test("C-15: a chained publisher that ends twice makes one attempt")
  func chainedEndsTwice() {
    let source = TestPublisher<Int, TestError>()
    let chained = TestPublisher<Int, TestError>()
    let second = CountingSubscription()
    source.retryOn(.first, retries: 3, chainedPublisher: chained).subscribe(Subscriber())
    source.send(completion: .failure(.first))
    chained.sendSubscription(second)
    chained.send(completion: .finished, forgetting: false)
    chained.send(completion: .finished, forgetting: false)
    #expect(source.subscriptionCount == 2)
    #expect(second.cancels.count == 1)
    chained.send(completion: .finished)
  }
}
