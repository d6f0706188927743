import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("append, prepend and concatenated", .leakFree)
struct AppendTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("append and prepend take values, sequences and publishers")
  func spellings() {
    func values<Stream: Publisher<Int, Never>>(_ stream: Stream) -> [Int] {
      let subscriber = TestSubscriber<Int, Never>()
      stream.subscribe(subscriber)
      #expect(subscriber.isFinished)
      return subscriber.values
    }
    let source = [1, 2].publisher
    #expect(values(source.append(3, 4)) == [1, 2, 3, 4])
    #expect(values(source.append(3)) == [1, 2, 3])
    #expect(values(source.append(3...5)) == [1, 2, 3, 4, 5])
    #expect(values(source.append(Just(9))) == [1, 2, 9])
    #expect(values(source.prepend(3, 4)) == [3, 4, 1, 2])
    #expect(values(source.prepend(3...4)) == [3, 4, 1, 2])
    #expect(values(source.prepend(Just(9))) == [9, 1, 2])
    #expect(values([source, source].concatenated()) == [1, 2, 1, 2])
    #expect(values([Just<Int>]().concatenated()).isEmpty)
  }

  @Test("C-8: the second publisher is subscribed when the first has finished, and not before")
  func lazy() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.append(b).subscribe(subscriber)
    a.send(1)
    #expect(b.subscriptionCount == 0)
    a.send(completion: .finished)
    #expect(b.subscriptionCount == 1)
    b.send(2)
    b.send(completion: .finished)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: the second publisher receives the demand that the first left unserved")
  func demand() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .max(3))
    a.append(b).subscribe(subscriber)
    a.send(1)
    a.send(completion: .finished)
    #expect(b.requests == [.max(2)])
    let concatenated = TestSubscriber<Int, Never>(demand: .none)
    [[1, 2], [3], [], [4, 5]].map(\.publisher).concatenated().subscribe(concatenated)
    for (demand, expected) in [(1, [1]), (1, [1, 2]), (2, [1, 2, 3, 4])] {
      concatenated.request(.max(demand))
      #expect(concatenated.values == expected)
    }
    #expect(!concatenated.isFinished)
    concatenated.request(.max(1))
    #expect(concatenated.isFinished)
  }

  @Test("A failure of the first publisher ends the stream without subscribing to the second")
  func failure() {
    let b = Source()
    let subscriber = Subscriber()
    Fail(error: TestError.second).append(b).subscribe(subscriber)
    #expect(subscriber.failure == .second)
    #expect(b.subscriptionCount == 0)
    let many = Subscriber()
    let stream: [AnyPublisher<Int, TestError>] = [
      [1].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
      Fail(error: TestError.first).eraseToAnyPublisher(), b.eraseToAnyPublisher(),
    ]
    stream.concatenated().subscribe(many)
    #expect(many.values == [1])
    #expect(many.failure == .first)
    #expect(b.subscriptionCount == 0)
  }

  @Test("C-4: a cancel from inside the first's last value leaves the second unsubscribed")
  func cancel() {
    let b = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    Just(1).append(b).subscribe(subscriber)
    #expect(subscriber.values == [1])
    #expect(b.subscriptionCount == 0)
    let pulled = Tally()
    let many = TestSubscriber<Int, Never> { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    sequence(first: 1) { pulled.add() + $0 - $0 + 1 }.prefix(10).map { Just($0) }.concatenated()
      .subscribe(many)
    #expect(many.values == [1, 2])
  }

  @Test("C-8: an endless sequence of publishers advances only as they finish")
  func endless() {
    let made = Tally()
    let publishers = EndlessJusts { made.add() }
    let subscriber = TestSubscriber<Int, Never>(demand: .max(3))
    let stream = publishers.concatenated()
    #expect(made.count == 0)
    stream.subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(made.count == 4)
  }

  @Test("C-7: after a cancel the sequence and its publishers are released")
  func releases() throws {
    let keeper = SubscriptionKeeper()
    let probe = Box(ReleaseProbe())
    let weak = Weak(try #require(probe.value))
    let source = PassthroughSubject<Int, Never>()
    do {
      let held = try #require(probe.value)
      [1, 2].map { number in
        source.map { value in
          held.touch()
          return value + number
        }
      }.concatenated().subscribe(KeptSubscriber(keeper: keeper))
    }
    probe.set(nil)
    source.send(1)
    #expect(!weak.isReleased)
    keeper.subscription?.cancel()
    #expect(weak.isReleased)
  }

  private struct EndlessJusts: Sequence, IteratorProtocol, Sendable {
    let make: @Sendable () -> Int

    func next() -> Just<Int>? { Just(make()) }
  }
}
