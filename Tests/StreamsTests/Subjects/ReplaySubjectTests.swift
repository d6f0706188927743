import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("ReplaySubject", .leakFree)
struct ReplaySubjectTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("A late subscriber receives the kept values, then the new ones", arguments: [0, 1, 2, 9])
  func late(bufferSize: Int) {
    let subject = ReplaySubject<Int, TestError>(bufferSize: bufferSize)
    let early = Subscriber()
    subject.subscribe(early)
    for value in 1...3 { subject.send(value) }
    let late = Subscriber()
    subject.subscribe(late)
    subject.send(4)
    #expect(early.values == [1, 2, 3, 4])
    #expect(late.values == Array([1, 2, 3].suffix(bufferSize)) + [4])
  }

  @Test("The kept values also come first after the end", arguments: [true, false])
  func afterEnd(fails: Bool) {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    for value in 1...3 { subject.send(value) }
    subject.send(completion: fails ? .failure(.first) : .finished)
    subject.send(4)
    let late = Subscriber(demand: .none)
    subject.subscribe(late)
    #expect(late.completion == nil)
    late.request(.max(1))
    #expect(late.values == [2])
    late.request(.max(1))
    #expect(late.values == [2, 3])
    #expect(late.failure == (fails ? .first : nil))
    #expect(late.completion != nil)
  }

  @Test("C-3: a late request receives the values still kept, within its demand")
  func demand() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 2)
    let subscriber = Subscriber(demand: .max(1))
    subject.subscribe(subscriber)
    for value in 1...4 { subject.send(value) }
    #expect(subscriber.values == [1])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 3])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 3, 4])
    subject.send(5)
    #expect(subscriber.values == [1, 3, 4, 5])
  }

  @Test("A buffer size of zero or less keeps nothing, with and without a bound")
  func negative() {
    for size in [0, -3] {
      for subject in [
        ReplaySubject<Int, TestError>(bufferSize: size),
        ReplaySubject(bufferSize: size, inboxSize: 1, whenFull: .dropOldest),
      ] {
        subject.send(1)
        let subscriber = Subscriber()
        subject.subscribe(subscriber)
        subject.send(2)
        #expect(subscriber.values == [2], "\(size)")
      }
    }
  }

  @Test("C-9, P13: a value sent from inside a delivery follows it, for all subscribers")
  func nested() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 1)
    let first = Subscriber { _, value in
      if value < 3 { subject.send(value + 1) }
      return .none
    }
    let others = [Subscriber(), Subscriber()]
    for subscriber in [first] + others { subject.subscribe(subscriber) }
    subject.send(1)
    for subscriber in [first] + others {
      #expect(subscriber.values == [1, 2, 3])
      #expect(subscriber.overlaps == 0)
    }
  }

  @Test("A subscriber that arrives inside a delivery receives each value once")
  func subscribesInside() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 1)
    let inner = Subscriber()
    let outer = Subscriber { _, value in
      if value == 1 { subject.subscribe(inner) }
      return .none
    }
    subject.subscribe(outer)
    subject.send(1)
    subject.send(2)
    #expect(inner.values == [1, 2])
  }

  @Test("C-4: a cancel from inside receive(_:) stops the replay")
  func cancel() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 5)
    for value in 1...5 { subject.send(value) }
    let subscriber = Subscriber { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    subject.subscribe(subscriber)
    subject.send(6)
    subject.send(completion: .finished)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.completion == nil)
  }

  @Test("C-6, C-7: values that are no longer kept are released without the lock")
  func releases() {
    let subject = ReplaySubject<ReleaseProbe, Never>(bufferSize: 1)
    let released = Tally()
    subject.send(
      ReleaseProbe {
        released.add()
        subject.send(ReleaseProbe())
      })
    #expect(released.count == 0)
    subject.send(ReleaseProbe())
    #expect(released.count == 1)
    let subscriber = TestSubscriber<ReleaseProbe, Never>()
    subject.subscribe(subscriber)
    #expect(subscriber.values.count == 1)
  }

  @Test("C-9, P14: 4 senders, 3 subscribers: all see one order, and a late one its tail")
  func threads() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 3)
    let subscribers = (0..<3).map { _ in Subscriber() }
    for subscriber in subscribers { subject.subscribe(subscriber) }
    let late = Recording<Subscriber>()
    #expect(
      raceEnds(threads: 5) { _, thread in
        for value in 0..<2_000 {
          guard thread == 4 else {
            subject.send(thread * 10_000 + value)
            continue
          }
          if value.isMultiple(of: 500) {
            let subscriber = Subscriber()
            subject.subscribe(subscriber)
            late.add(subscriber)
          }
        }
      })
    subject.send(completion: .finished)
    let sequence = subscribers[0].values
    #expect(sequence.count == 8_000)
    for subscriber in subscribers + late.elements {
      #expect(subscriber.overlaps == 0)
      #expect(subscriber.values == sequence.suffix(subscriber.values.count))
      #expect(subscriber.isFinished)
    }
  }

  @Test("A subscription that feeds it receives an unlimited request, and a cancel at the end")
  func upstream() {
    let source = TestPublisher<Int, TestError>()
    let subject = ReplaySubject<Int, TestError>(bufferSize: 1)
    source.subscribe(
      AnySubscriber(
        receiveSubscription: { subject.send(subscription: $0) },
        receiveValue: { _ in .none }, receiveCompletion: { _ in }))
    #expect(source.requests == [.unlimited])
    subject.send(completion: .finished)
    #expect(source.cancelCount == 1)
    subject.send(subscription: Subscriptions.empty)
  }
}
