import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("expand", .leakFree)
struct ExpandTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  /// Pages 1 to 5; counts how many were fetched.
  private func pages(fetched: Tally) -> some Publisher<Int, TestError> {
    Deferred {
      fetched.add()
      return Just(1).setFailureType(to: TestError.self)
    }.expand { page in
      (page < 5 ? Optional(page + 1) : nil).publisher.setFailureType(to: TestError.self)
        .handleEvents(receiveSubscription: { _ in fetched.add() })
    }
  }

  @Test("expand follows pages until there are no more")
  func paging() {
    let subscriber = Subscriber()
    pages(fetched: Tally()).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: a page is not fetched before there is demand")
  func demand() {
    let fetched = Tally()
    let subscriber = Subscriber(demand: .none)
    pages(fetched: fetched).subscribe(subscriber)
    #expect(fetched.count == 1)
    for (request, count) in [(1, 1), (1, 2), (2, 4)] {
      subscriber.request(.max(request))
      #expect(subscriber.values.count == count)
      #expect(fetched.count == count)
    }
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("Publishers run in the order of the values that made them")
  func order() {
    let subscriber = Subscriber()
    [1, 2].publisher.setFailureType(to: TestError.self)
      .expand { value in
        (value < 10 ? [value * 10, value * 10 + 1] : []).publisher
          .setFailureType(to: TestError.self)
      }.subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 10, 11, 20, 21])
  }

  @Test("A failure of the upstream or of a child publisher ends the stream")
  func failure() {
    let subscriber = Subscriber()
    Just(1).setFailureType(to: TestError.self)
      .expand { _ in Fail(outputType: Int.self, failure: TestError.second) }
      .subscribe(subscriber)
    #expect(subscriber.values == [1])
    #expect(subscriber.failure == .second)
    let failing = Subscriber()
    Fail(outputType: Int.self, failure: TestError.first).expand {
      Just($0).setFailureType(to: TestError.self)
    }
    .subscribe(failing)
    #expect(failing.failure == .first)
  }

  @Test("C-4: a cancel from inside a value or the closure stops fetching")
  func cancel() {
    let fetched = Tally()
    let subscriber = Subscriber { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    pages(fetched: fetched).subscribe(subscriber)
    #expect(subscriber.values == [1, 2])
    #expect(fetched.count == 2)
    #expect(subscriber.completions.isEmpty)
    let inside = Subscriber()
    let child = TestPublisher<Int, TestError>()
    Just(1).setFailureType(to: TestError.self).expand { _ in
      inside.cancel()
      return child
    }.subscribe(inside)
    #expect(child.subscriptionCount == 0)
    #expect(inside.completions.isEmpty)
  }

  @Test("C-7: a cancel releases the values that wait their turn")
  func release() {
    let source = TestPublisher<ReleaseProbe, TestError>()
    let subscriber = TestSubscriber<Void, TestError>()
    let released: Weak<ReleaseProbe>
    source.expand { Just($0).setFailureType(to: TestError.self) }.map { _ in }
      .subscribe(subscriber)
    do {
      let probe = ReleaseProbe()
      released = Weak(probe)
      source.send(probe)
    }
    #expect(!released.isReleased)
    subscriber.cancel()
    #expect(released.isReleased)
  }

  @Test(
    "C-7: the closure is released at the end, even if the subscription is still held",
    arguments: ["finish", "failure", "cancel"])
  func releasesClosure(ending: String) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    let released: Weak<ReleaseProbe>
    do {
      let probe = ReleaseProbe()
      released = Weak(probe)
      source.expand { value in
        probe.touch()
        return Empty<Int, TestError>()
      }.subscribe(subscriber)
    }
    source.send(1)
    #expect(!released.isReleased)
    switch ending {
    case "finish": source.send(completion: .finished)
    case "failure": source.send(completion: .failure(.first))
    default: subscriber.cancel()
    }
    #expect(released.isReleased)
  }

  @Test("C-5: very many pages, requested all at once or one by one, need constant stack")
  func constantStack() {
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      let seen = Tally()
      let ends = Tally()
      #expect(
        runsOnSmallStack {
          Just(0).expand { page in
            (page + 1 < manyTimes ? Optional(page + 1) : nil).publisher
          }.subscribe(
            AnySubscriber(
              receiveSubscription: { $0.request(demand) },
              receiveValue: { _ in
                seen.add()
                return demand == .unlimited ? .none : .max(1)
              }, receiveCompletion: { _ in ends.add() }))
        })
      #expect(seen.count == manyTimes)
      #expect(ends.count == 1)
    }
  }

  @Test("C-8: the closure runs only for a subscriber, and anew for each")
  func laziness() {
    let runs = Tally()
    let publisher = Just(1).expand { _ in
      runs.add()
      return Empty<Int, Never>()
    }
    #expect(runs.count == 0)
    for round in 1...2 {
      publisher.subscribe(TestSubscriber<Int, Never>())
      #expect(runs.count == round)
    }
  }

  @Test("C-3: a request while a publisher runs neither starts another nor ends the stream")
  func requestWhileBusy() {
    let child = TestPublisher<Int, TestError>()
    let made = Tally()
    let subscriber = Subscriber(demand: .max(2))
    Just(1).setFailureType(to: TestError.self).expand { _ -> TestPublisher<Int, TestError> in
      made.add()
      return child
    }.subscribe(subscriber)
    subscriber.request(.max(1))
    child.send(2)
    subscriber.request(.max(1))
    #expect(made.count == 1)
    #expect(subscriber.kinds == ["subscription", "1", "2"])
    subscriber.cancel()
  }

  @Test("C-3: demand returned for a page fetches the next")
  func grants() {
    let fetched = Tally()
    let subscriber = Subscriber(demand: .max(1)) { _, value in value < 3 ? .max(1) : .none }
    pages(fetched: fetched).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(fetched.count == 3)
  }

  /// Ways to say that nothing follows.
  private static let endings: [(String, @Sendable () -> AnyPublisher<Int, TestError>)] = [
    ("empty", { Empty().eraseToAnyPublisher() }),
    ("failure", { Fail(error: .first).eraseToAnyPublisher() }),
  ]

  @Test("C-3: the end comes right after the last value, without further demand")
  func promptEnd() {
    let subscriber = Subscriber(demand: .max(1)) { _, value in value < 5 ? .max(1) : .none }
    Just(1).setFailureType(to: TestError.self).expand { page in
      (page < 5 ? Optional(page + 1) : nil).publisher.setFailureType(to: TestError.self)
    }
    .subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    #expect(subscriber.isFinished)
    let optional = TestSubscriber<Int, Never>(demand: .max(1))
    Just(1).expand { _ in Int?.none.publisher }.subscribe(optional)
    #expect(optional.isFinished)
    let array = TestSubscriber<Int, Never>(demand: .max(1))
    Just(1).expand { _ in [Int]().publisher }.subscribe(array)
    #expect(array.isFinished)
    for (name, ending) in Self.endings {
      let erased = Subscriber(demand: .max(1))
      Just(1).setFailureType(to: TestError.self).expand { _ in ending() }.subscribe(erased)
      #expect(
        erased.kinds == ["subscription", "1", name == "empty" ? "finished" : "failure first"])
    }
  }

  @Test("C-3: of several values that lead nowhere, the end comes after the last")
  func promptEndOfMany() {
    let subscriber = Subscriber(demand: .max(3))
    [1, 2, 3].publisher.setFailureType(to: TestError.self)
      .expand { _ in Empty().eraseToAnyPublisher() }.subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: a publisher that never ends is not taken for one that ends at once")
  func silentChild() {
    let subscriber = Subscriber(demand: .max(1))
    Just(1).setFailureType(to: TestError.self)
      .expand { _ in Empty(completeImmediately: false).eraseToAnyPublisher() }
      .subscribe(subscriber)
    subscriber.request(.unlimited)
    #expect(subscriber.completions.isEmpty)
    subscriber.cancel()
  }

  @Test("C-4, C-7: a cancel releases the publisher that waits for demand")
  func releasesNext() {
    let subscriber = Subscriber(demand: .max(1))
    let released: Weak<ReleaseProbe>
    do {
      let probe = ReleaseProbe()
      released = Weak(probe)
      Just(1).setFailureType(to: TestError.self).expand { _ in
        Deferred {
          probe.touch()
          return Just(2).setFailureType(to: TestError.self)
        }
      }.subscribe(subscriber)
    }
    #expect(!released.isReleased)
    subscriber.cancel()
    #expect(released.isReleased)
    #expect(subscriber.kinds == ["subscription", "1"])
  }

  @Test("C-3: a request from inside the closure starts the publisher that it makes")
  func requestInClosure() {
    let subscriber = Subscriber(demand: .max(1))
    Just(1).setFailureType(to: TestError.self).expand { value in
      if value == 1 { subscriber.request(.max(1)) }
      return value == 1
        ? Just(2).setFailureType(to: TestError.self).eraseToAnyPublisher()
        : Empty().eraseToAnyPublisher()
    }.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
  }
}
