import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("CurrentValueSubject", .leakFree)
struct CurrentValueSubjectTests {
  typealias Subject = CurrentValueSubject<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("A new subscriber receives the current value first")
  func current() {
    let subject = Subject(0)
    let first = Subscriber()
    subject.subscribe(first)
    subject.send(1)
    subject.value = 2
    let second = Subscriber()
    subject.subscribe(second)
    subject.send(completion: .finished)
    #expect(first.kinds == ["subscription", "0", "1", "2", "finished"])
    #expect(second.kinds == ["subscription", "2", "finished"])
    #expect(subject.value == 2)
  }

  @Test("C-3: a subscriber without demand receives the latest value once it requests one")
  func demand() {
    let subject = Subject(0)
    let subscriber = Subscriber(demand: .none)
    subject.subscribe(subscriber)
    subject.send(1)
    subject.send(2)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    #expect(subscriber.values == [2])
    subscriber.request(.max(1))
    #expect(subscriber.values == [2])
    subject.send(3)
    subject.send(4)
    #expect(subscriber.values == [2, 3])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [2, 3, 4])
  }

  @Test("The value is the one sent last, also when read inside a delivery")
  func valueInside() {
    let subject = Subject(0)
    let seen = Recording<Int>()
    let cancellable = subject.sink(
      receiveCompletion: { _ in },
      receiveValue: { value in
        if value == 1 {
          subject.value = 2
          seen.add(subject.value)
        }
      })
    subject.value = 1
    #expect(seen.elements == [2])
    cancellable.cancel()
  }

  @Test("After the end a set value is kept, a sent one is not, and neither is delivered")
  func afterEnd() {
    let subject = Subject(1)
    subject.send(completion: .failure(.first))
    subject.send(2)
    #expect(subject.value == 1)
    subject.value = 3
    #expect(subject.value == 3)
    let subscriber = Subscriber()
    subject.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure first"])
  }

  @Test("P15: a subscriber that arrives while a value waits does not receive it twice")
  func subscribeInside() {
    let subject = Subject(0)
    let late = Subscriber()
    let early = Subscriber { _, value in
      if value == 1 {
        subject.send(2)
        subject.subscribe(late)
      }
      return .none
    }
    subject.subscribe(early)
    subject.send(1)
    subject.send(3)
    #expect(early.values == [0, 1, 2, 3])
    #expect(late.values == Array(Set(late.values)).sorted())
    #expect(late.values.last == 3)
    #expect(late.values.contains(2))
  }

  @Test("P15: demand that arrives while a value waits does not deliver it twice")
  func requestInside() {
    let subject = Subject(0)
    let other = Subscriber(demand: .none)
    let early = Subscriber { _, value in
      if value == 1 {
        subject.send(2)
        other.request(.unlimited)
      }
      return .none
    }
    subject.subscribe(early)
    subject.subscribe(other)
    subject.send(1)
    #expect(other.values == [1, 2] || other.values == [2])
  }

  @Test("P15: a subscriber during sends sees values grow, none twice, and the last")
  func race() {
    let rounds = 500
    let last = 20
    let subjects = (0..<rounds).map { _ in Subject(0) }
    let subscribers = subjects.map { _ in Subscriber() }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 1...last { subjects[round].send(value) }
        } else {
          subjects[round].subscribe(subscribers[round])
        }
      })
    let sequences = subscribers.map(\.values)
    #expect(sequences.filter { !Self.isGrowing($0) } == [])
    #expect(sequences.allSatisfy { $0.last == last })
    #expect(subscribers.allSatisfy { $0.overlaps == 0 })
  }

  @Test("P15: a request during sends sees values grow, none twice, and the last")
  func requestRace() {
    let rounds = 500
    let last = 20
    let subjects = (0..<rounds).map { _ in Subject(0) }
    let subscribers = subjects.map { subject in
      let subscriber = Subscriber(demand: .none)
      subject.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 1...last { subjects[round].send(value) }
        } else {
          subscribers[round].request(.max(1))
          subscribers[round].request(.unlimited)
        }
      })
    let sequences = subscribers.map(\.values)
    #expect(sequences.filter { !Self.isGrowing($0) } == [])
    #expect(sequences.allSatisfy { $0.last == last })
  }

  private static func isGrowing(_ values: [Int]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
  }

  @Test("A CurrentValueSubject accepts an upstream that feeds it")
  func upstreams() {
    let subject = Subject(0)
    let feeding = CountingSubscription()
    subject.send(subscription: feeding)
    #expect(feeding.requests.count == 1)
    subject.send(completion: .finished)
    #expect(feeding.cancels.count == 1)
  }
}
