import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("AnyPublisher, AnySubscriber and the signals between them", .leakFree)
struct ErasureTests {
  @Test("An erased publisher passes on all signals in both directions")
  func publisher() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(2)) { _, _ in .max(3) }
    source.eraseToAnyPublisher().eraseToAnyPublisher().subscribe(subscriber)
    #expect(source.requests == [.max(2)])
    #expect(source.send(1) == .max(3))
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription", "1", "failure first"])
  }

  @Test("An erased subscriber passes on all signals in both directions")
  func subscriber() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(2)) { _, _ in .max(3) }
    let erased = AnySubscriber(subscriber)
    let subscription = CountingSubscription()
    erased.receive(subscription: subscription)
    #expect(subscription.requests.count == 1)
    #expect(erased.receive(1) == .max(3))
    erased.receive(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
  }

  @Test("An AnySubscriber can be made of closures")
  func closures() {
    let heard = Recording<String>()
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: { subscription in
        heard.add("subscription")
        subscription.request(.max(1))
      },
      receiveValue: { value in
        heard.add("\(value)")
        return value == 1 ? .max(1) : .none
      },
      receiveCompletion: { heard.add("\($0 == .finished)") })
    [1, 2, 3].publisher.setFailureType(to: TestError.self).subscribe(subscriber)
    #expect(heard.elements == ["subscription", "1", "2"])
  }

  @Test("A subscriber of Void receives a value without an argument")
  func void() {
    let subscriber = TestSubscriber<Void, Never>()
    #expect(AnySubscriber(subscriber).receive() == .none)
    #expect(subscriber.values.count == 1)
  }

  @Test("The empty subscription ignores requests and cancels")
  func emptySubscription() {
    let subscription = Subscriptions.empty
    subscription.request(.unlimited)
    subscription.cancel()
  }

  @Test("Completions are comparable if their failures are")
  func completions() {
    typealias Completion = Subscribers.Completion<TestError>
    #expect(Completion.finished == .finished)
    #expect(Completion.finished != .failure(.first))
    #expect(Completion.failure(.first) != .failure(.second))
    #expect(Set<Completion>([.finished, .finished, .failure(.first)]).count == 2)
  }

  @Test("AnySubscriber without closures accepts all signals and requests nothing")
  func nothing() {
    let source = TestPublisher<Int, TestError>()
    source.subscribe(AnySubscriber<Int, TestError>())
    #expect(source.requests.isEmpty)
    #expect(source.send(1) == .none)
    source.send(completion: .finished)
    #expect(source.subscriberCount == 0)
  }

  @Test("AnySubscriber of a subject passes it the subscription, the values and the end")
  func subject() {
    let source = TestPublisher<Int, TestError>()
    let subject = PassthroughSubject<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    subject.subscribe(subscriber)
    source.subscribe(AnySubscriber(subject))
    #expect(source.requests == [.unlimited])
    #expect(source.send(1) == .none)
    source.send(completion: .failure(.first))
    #expect(subscriber.values == [1])
    #expect(subscriber.failure == .first)
    let second = TestPublisher<Int, TestError>()
    second.subscribe(AnySubscriber(subject))
    #expect(second.cancelCount == 1)
  }
}
