import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-11: share", .leakFree)
struct ShareTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-11: subscribers share one connection and see the same values")
  func sharesOne() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let subscribers = (0..<3).map { _ in Subscriber() }
    for subscriber in subscribers { shared.subscribe(subscriber) }
    #expect(source.subscriptionCount == 1)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(completion: .finished)
    for subscriber in subscribers {
      #expect(subscriber.kinds == ["subscription", "1", "finished"])
    }
  }

  @Test("C-11: a late subscriber receives the values that follow")
  func late() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let early = Subscriber()
    let late = Subscriber()
    shared.subscribe(early)
    source.send(1)
    shared.subscribe(late)
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(early.values == [1, 2])
    #expect(late.kinds == ["subscription", "2", "failure first"])
    #expect(source.subscriptionCount == 1)
  }

  @Test("C-4: a cancel ends a connection whose source sends without an end, while it connects")
  func endless() {
    #expect((0...).publisher.share().prefix(3).played() == ["0", "1", "2", "finished"])
    let multicast = (0...).publisher.multicast { CurrentValueSubject(-1) }.autoconnect()
    #expect(multicast.prefix(3).played() == ["-1", "0", "1", "finished"])
    // The subject did not end, so it stays.
    #expect(multicast.prefix(2).played() == ["1", "0", "finished"])
    #expect((0...).publisher.share(replay: 1).prefix(2).played() == ["0", "1", "finished"])
  }

  @Test("A subscriber that needs one value has a source of as many answers make one")
  func oneOfMany() {
    let made = Tally()
    let answers = (1...10).publisher.flatMap(maxPublishers: .max(1)) { number in
      Deferred {
        made.add()
        return Just(number)
      }
    }
    #expect(answers.share().first().played() == ["1", "finished"])
    #expect(made.count == 1)
  }

  @Test("P9: after a synchronous source has ended, each new subscriber connects anew")
  func synchronousSource() {
    let connections = Tally()
    let shared = Deferred {
      connections.add()
      return [1, 2].publisher
    }.share()
    for _ in 1...3 {
      let subscriber = TestSubscriber<Int, Never>()
      shared.subscribe(subscriber)
      #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    }
    #expect(connections.count == 3)
  }

  @Test(
    "C-11: after an asynchronous source has ended, the next subscriber connects anew",
    arguments: [
      Subscribers.Completion<TestError>.finished, .failure(.second),
    ])
  func reconnects(end: Subscribers.Completion<TestError>) {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    shared.subscribe(Subscriber())
    source.send(completion: end)
    let next = Subscriber()
    shared.subscribe(next)
    #expect(source.subscriptionCount == 2)
    source.send(5)
    #expect(next.values == [5])
  }

  @Test("P9: a retry below share reaches a synchronous source")
  func retrySynchronous() {
    let attempts = Tally()
    let subscriber = Subscriber()
    Deferred { () -> Stage.Stream in
      attempts.add() < 3
        ? Fail(outputType: Int.self, failure: TestError.first).eraseToAnyPublisher()
        : Just(3).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }.share().retry(5).subscribe(subscriber)
    #expect(attempts.count == 3)
    #expect(subscriber.kinds == ["subscription", "3", "finished"])
  }

  @Test("P9: retries of two subscribers below share reach an asynchronous source once per retry")
  func retryAsynchronous() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let first = Subscriber()
    let second = Subscriber()
    shared.retry(2).subscribe(first)
    shared.retry(2).subscribe(second)
    #expect(source.subscriptionCount == 1)
    source.send(completion: .failure(.first))
    #expect(source.subscriptionCount == 2)
    source.send(4)
    #expect(first.values == [4])
    #expect(second.values == [4])
  }

  @Test("C-11: the last subscriber to leave disconnects once, and the next connects anew")
  func disconnects() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let first = Subscriber()
    let second = Subscriber()
    shared.subscribe(first)
    shared.subscribe(second)
    first.cancel()
    first.cancel()
    #expect(source.cancelCount == 0)
    source.send(1)
    #expect(first.values.isEmpty)
    #expect(second.values == [1])
    second.cancel()
    #expect(source.cancelCount == 1)
    shared.subscribe(first)
    #expect(source.subscriptionCount == 2)
  }

  @Test("C-11: subscribers that end with the source do not count as leaving the next connection")
  func countsAfterEnd() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let old = Subscriber()
    shared.subscribe(old)
    source.send(completion: .finished)
    let new = Subscriber()
    shared.subscribe(new)
    old.cancel()
    #expect(source.cancelCount == 0)
    source.send(2)
    #expect(new.values == [2])
  }

  @Test("C-11: leaving an ended connection does not count as leaving the next")
  func leavesEndedConnection() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let leaving = Subscriber()
    let next = Subscriber()
    let cancellable = shared.sink(
      receiveCompletion: { _ in
        shared.subscribe(next)
        leaving.cancel()
      }, receiveValue: { _ in })
    shared.subscribe(leaving)
    source.send(completion: .finished)
    #expect(leaving.kinds == ["subscription"])
    #expect(source.subscriptionCount == 2)
    #expect(source.cancelCount == 0)
    source.send(3)
    #expect(next.values == [3])
    let other = Subscriber()
    shared.subscribe(other)
    #expect(source.subscriptionCount == 2)
    next.cancel()
    #expect(source.cancelCount == 0)
    other.cancel()
    #expect(source.cancelCount == 1)
    cancellable.cancel()
  }

  @Test("C-4: a cancel while the first subscriber connects is not lost")
  func cancelWhileConnecting() {
    let subscriber = Subscriber()
    let source = TestPublisher<Int, TestError> { _ in subscriber.cancel() }
    source.share().subscribe(subscriber)
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 0)
  }

  @Test("P10: two threads that subscribe first make one connection")
  func firstSubscribers() {
    let rounds = 1_000
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let shares = sources.map { $0.share() }
    let subscribers = (0..<rounds).map { _ in [Subscriber(), Subscriber()] }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        shares[round].subscribe(subscribers[round][thread])
      })
    #expect(sources.allSatisfy { $0.subscriptionCount == 1 })
    for source in sources { source.send(1) }
    #expect(subscribers.allSatisfy { $0.allSatisfy { $0.values == [1] } })
  }

  @Test("P10: two threads that subscribe and leave at the same time leave no connection")
  func noLeaks() {
    let rounds = 1_000
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let shares = sources.map { $0.share() }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, _ in
        let subscriber = Subscriber()
        shares[round].subscribe(subscriber)
        subscriber.cancel()
      })
    #expect(sources.allSatisfy { $0.subscriberCount == 0 })
    #expect(sources.allSatisfy { $0.cancelCount == $0.subscriptionCount })
  }

  @Test("C-15: a second subscription, values and an end after the end are dropped and reported")
  func contractViolations() {
    let second = CountingSubscription()
    let subscriber = Subscriber()
    let reported = violations {
      let source = TestPublisher<Int, TestError>()
      source.share().subscribe(subscriber)
      source.sendSubscription(second)
      source.send(completion: .finished, forgetting: false)
      source.send(1)
      source.send(completion: .finished)
    }
    #expect(subscriber.kinds == ["subscription", "finished"])
    #expect(second.cancels.count == 1)
    #expect(reported.map(\.rule) == [.secondSubscription, .valueAfterEnd, .secondEnd])
  }
}
