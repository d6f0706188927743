import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("merge", .leakFree)
struct MergeTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("Values of two publishers come as they are sent, and the end when both have finished")
  func order() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.merge(with: b).subscribe(subscriber)
    a.send(1)
    b.send(2)
    a.send(completion: .finished)
    #expect(!subscriber.isFinished)
    b.send(3)
    b.send(completion: .finished)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.isFinished)
    #expect(a.cancelCount + b.cancelCount == 0)
  }

  @Test("merge of two to eight publishers passes on every value")
  func arities() {
    let p = [1, 2].publisher
    func sum<Merged: Publisher<Int, Never>>(_ merged: Merged) -> Int {
      let subscriber = TestSubscriber<Int, Never>()
      merged.subscribe(subscriber)
      #expect(subscriber.isFinished)
      return subscriber.values.count
    }
    #expect(sum(p.merge(with: p)) == 4)
    #expect(sum(p.merge(with: p, p)) == 6)
    #expect(sum(p.merge(with: p, p, p)) == 8)
    #expect(sum(p.merge(with: p, p, p, p)) == 10)
    #expect(sum(p.merge(with: p, p, p, p, p)) == 12)
    #expect(sum(p.merge(with: p, p, p, p, p, p)) == 14)
    #expect(sum(p.merge(with: p, p, p, p, p, p, p)) == 16)
    #expect(sum(Publishers.MergeMany(p, p, p, p, p, p, p, p, p)) == 18)
    #expect(sum([p].merged()) == 2)
    #expect(sum([Publishers.Sequence<[Int], Never>]().merged()) == 0)
    #expect(p.merge(with: p) == Publishers.Merge(p, p))
  }

  @Test("All publishers are subscribed before the first request")
  func subscribesFirst() {
    let b = TestPublisher<Int, Never>()
    let subscribed = Recording<Int>()
    let subscriber = TestSubscriber<Int, Never> { _, _ in
      subscribed.add(b.subscriptionCount)
      return .none
    }
    Just(1).merge(with: b).subscribe(subscriber)
    #expect(subscribed.elements == [1])
  }

  @Test("C-3: one value of each is requested at a time, and values beyond the demand wait")
  func demand() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .none)
    a.merge(with: b).subscribe(subscriber)
    #expect(a.requests.isEmpty)
    subscriber.request(.max(1))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    #expect(b.send(1) == .none)
    #expect(a.send(2) == .none)
    #expect(subscriber.values == [1])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2])
    #expect(a.send(3) == .none)
    #expect(subscriber.values == [1, 2, 3])
    a.send(completion: .finished)
    b.send(4)
    b.send(completion: .finished)
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(subscriber.isFinished)
  }

  @Test(
    "C-3: sequences deliver exactly one, one and two values for such requests", arguments: [2, 5])
  func oneOneTwo(count: Int) {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    Array(repeating: (0..<2).publisher, count: count).merged().subscribe(subscriber)
    for (demand, total) in [(1, 1), (1, 2), (2, 4)] {
      subscriber.request(.max(demand))
      #expect(subscriber.values.count == total)
    }
    subscriber.request(.unlimited)
    #expect(subscriber.values.count == 2 * count)
    #expect(subscriber.isFinished)
  }

  @Test("C-3: demand returned with each value works like demand requested before")
  func grantedDemand() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
    (0..<1000).publisher.merge(with: (1000..<2000).publisher).subscribe(subscriber)
    #expect(subscriber.values.sorted() == Array(0..<2000))
    #expect(subscriber.isFinished)
  }

  @Test("The first failure ends the stream, cancels the others and drops waiting values")
  func failure() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .max(1))
    a.merge(with: b).subscribe(subscriber)
    a.send(1)
    b.send(2)
    a.send(completion: .failure(.second))
    #expect(subscriber.values == [1])
    #expect(subscriber.failure == .second)
    #expect(a.cancelCount == 0)
    #expect(b.cancelCount == 1)
  }

  @Test("A failure at once follows the subscription and leaves later inputs unsubscribed")
  func immediateFailure() {
    let b = Source()
    let subscriber = Subscriber(demand: .none)
    Fail(outputType: Int.self, failure: TestError.first).merge(with: b).subscribe(subscriber)
    #expect(subscriber.subscriptionCount == 1)
    #expect(subscriber.failure == .first)
    #expect(b.subscriptionCount == 0)
  }

  @Test("C-4: a cancel cancels all inputs, and a cancel from inside receive(_:) is final")
  func cancel() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    a.merge(with: b).subscribe(subscriber)
    a.send(1)
    a.send(2)
    b.send(3)
    subscriber.cancel()
    #expect(subscriber.values == [1])
    #expect(a.cancelCount == 1)
    #expect(b.cancelCount == 1)
  }

  @Test("C-4: a cancel at the subscription leaves the upstreams unsubscribed")
  func cancelAtOnce() {
    let a = Source()
    a.merge(with: a).subscribe(
      AnySubscriber<Int, TestError>(
        receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
        receiveCompletion: { _ in }))
    #expect(a.subscriptionCount == 0)
  }

  @Test("C-9: a value sent from inside a delivery comes after that delivery")
  func reentrancy() {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never> { _, value in
      if value < 3 { b.send(value + 1) }
      return .none
    }
    a.merge(with: b).subscribe(subscriber)
    a.send(1)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-15: signals that break the rules are dropped and reported")
  func contractViolations() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .max(1))
    a.merge(with: b).subscribe(subscriber)
    let rules = violations {
      a.send(1)
      a.send(2)
      a.send(completion: .finished, forgetting: false)
      a.send(3)
      a.send(completion: .finished)
      b.sendSubscription(Subscriptions.empty)
    }.map(\.rule)
    #expect(rules == [.moreThanDemanded, .valueAfterEnd, .secondEnd, .secondSubscription])
    #expect(subscriber.values == [1])
    #expect(subscriber.completion == nil)
  }
}
