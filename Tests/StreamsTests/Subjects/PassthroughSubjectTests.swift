import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("PassthroughSubject", .leakFree)
struct PassthroughSubjectTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("A PassthroughSubject passes values to all current subscribers and keeps nothing")
  func passesOn() {
    let subject = PassthroughSubject<Int, TestError>()
    let first = Subscriber()
    let second = Subscriber()
    subject.send(0)
    subject.subscribe(first)
    subject.send(1)
    subject.subscribe(second)
    subject.send(2)
    subject.send(completion: .failure(.first))
    #expect(first.kinds == ["subscription", "1", "2", "failure first"])
    #expect(second.kinds == ["subscription", "2", "failure first"])
  }

  @Test("C-3: a subscriber without demand does not receive a value")
  func demand() {
    let subject = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    subject.subscribe(subscriber)
    subject.send(1)
    subscriber.request(.max(1))
    subscriber.request(.max(1))
    for value in 2...5 { subject.send(value) }
    #expect(subscriber.values == [2, 3])
    subject.send(completion: .finished)
    #expect(subscriber.isFinished)
  }

  @Test("C-2: after the end it sends nothing more, and a new subscriber receives the end at once")
  func afterEnd() {
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(completion: .failure(.second))
    subject.send(1)
    subject.send(completion: .finished)
    let subscriber = Subscriber(demand: .none)
    subject.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure second"])
    subscriber.cancel()
  }

  @Test("C-4: a cancel inside a subscription to an ended subject suppresses the end")
  func cancelAtEnded() {
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(completion: .finished)
    let ends = Tally()
    subject.subscribe(
      AnySubscriber<Int, TestError>(
        receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
        receiveCompletion: { _ in ends.add() }))
    #expect(ends.count == 0)
  }

  @Test("C-4: a subscriber that another one's delivery cancels does not receive the same value")
  func cancelEachOther() {
    let subject = PassthroughSubject<Int, TestError>()
    let second = Subscriber()
    let first = Subscriber { _, _ in
      second.cancel()
      return .none
    }
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    subject.send(completion: .finished)
    #expect(first.kinds == ["subscription", "1", "finished"])
    #expect(second.kinds == ["subscription"])
  }

  @Test("C-4: a subscriber that another one's end cancels does not receive the end")
  func cancelAtEnd() {
    let subject = PassthroughSubject<Int, TestError>()
    let second = Subscriber()
    let first = subject.sink(
      receiveCompletion: { _ in second.cancel() }, receiveValue: { _ in })
    subject.subscribe(second)
    subject.send(completion: .finished)
    #expect(second.kinds == ["subscription"])
    first.cancel()
  }

  @Test("A PassthroughSubject requests everything of an upstream and cancels it at the end")
  func upstreams() {
    let subject = PassthroughSubject<Int, TestError>()
    let feeding = CountingSubscription()
    subject.send(subscription: feeding)
    #expect(feeding.requests.count == 1)
    subject.send(completion: .finished)
    #expect(feeding.cancels.count == 1)
    let late = CountingSubscription()
    subject.send(subscription: late)
    #expect(late.requests.count == 0)
    #expect(late.cancels.count == 1)
  }

  @Test("A subject of Void sends without an argument")
  func void() {
    let subject = PassthroughSubject<Void, Never>()
    let seen = Tally()
    let cancellable = subject.sink { seen.add() }
    subject.send()
    #expect(seen.count == 1)
    cancellable.cancel()
  }

  @Test("A PassthroughSubject serves very many subscribers that come and go")
  func manySubscribers() {
    let subject = PassthroughSubject<Int, TestError>()
    let subscribers = (0..<1_000).map { _ in Subscriber() }
    for subscriber in subscribers { subject.subscribe(subscriber) }
    for (index, subscriber) in subscribers.enumerated() where !index.isMultiple(of: 3) {
      subscriber.cancel()
    }
    subject.send(1)
    for (index, subscriber) in subscribers.enumerated() {
      #expect(subscriber.values == (index.isMultiple(of: 3) ? [1] : []))
    }
  }
}
