import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-9: one order for all subscribers", .leakFree)
struct SubjectOrderTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> any Subject<Int, TestError>
    /// The values that a new subscriber receives before the first send.
    var initial: [Int] = []

    static let all = [
      Kind(testDescription: "PassthroughSubject", make: { PassthroughSubject() }),
      Kind(
        testDescription: "CurrentValueSubject", make: { CurrentValueSubject(-1) }, initial: [-1]),
    ]
  }

  @Test(
    "P13: values sent from inside a delivery follow it, for all three subscribers",
    arguments: Kind.all, 0..<3)
  func nested(kind: Kind, sender: Int) {
    let subject = kind.make()
    let subscribers = (0..<3).map { index in
      Subscriber { _, value in
        if index == sender, (1...3).contains(value) {
          subject.send(value * 10)
          subject.send(value * 100)
        }
        return .none
      }
    }
    for subscriber in subscribers { subject.receive(subscriber: subscriber) }
    subject.send(1)
    subject.send(2)
    for subscriber in subscribers {
      #expect(subscriber.values == kind.initial + [1, 10, 100, 2, 20, 200])
      #expect(subscriber.overlaps == 0)
    }
  }

  @Test("P13: an end from inside a delivery follows it for all, and drops later values")
  func nestedEnd() {
    let subject = PassthroughSubject<Int, TestError>()
    let subscribers = (0..<3).map { index in
      Subscriber { _, value in
        if index == 0 {
          subject.send(value + 1)
          subject.send(completion: .failure(.second))
          subject.send(9)
        }
        return .none
      }
    }
    for subscriber in subscribers { subject.subscribe(subscriber) }
    subject.send(1)
    for subscriber in subscribers {
      #expect(subscriber.kinds == ["subscription", "1", "2", "failure second"])
      #expect(subscriber.overlaps == 0)
    }
  }

  @Test("P14: 8 threads send and every subscriber sees the same order", arguments: Kind.all)
  func threads(kind: Kind) {
    let count = 10_000
    let subject = kind.make()
    let subscribers = (0..<3).map { _ in Subscriber() }
    for subscriber in subscribers { subject.receive(subscriber: subscriber) }
    #expect(
      raceEnds(threads: 8, within: 120) { _, thread in
        for value in 0..<count { subject.send(thread * count + value) }
      })
    let sequences = subscribers.map(\.values)
    let values = sequences[0].dropFirst(kind.initial.count)
    #expect(values.sorted() == Array(0..<(8 * count)))
    var latest = [Int](repeating: -1, count: 8)
    var isInOrder = true
    for value in values {
      isInOrder = isInOrder && latest[value / count] < value % count
      latest[value / count] = value % count
    }
    #expect(isInOrder)
    #expect(sequences.allSatisfy { $0 == sequences[0] })
    #expect(subscribers.allSatisfy { $0.overlaps == 0 })
  }

  @Test(
    "C-1: signals arrive one at a time while threads send, subscribe, cancel and end",
    arguments: Kind.all)
  func churn(kind: Kind) {
    let subject = kind.make()
    let steady = Subscriber()
    subject.receive(subscriber: steady)
    let passing = Recording<Subscriber>()
    #expect(
      raceEnds(threads: 4) { _, thread in
        for value in 0..<500 {
          if thread < 2 {
            subject.send(value)
          } else {
            let subscriber = Subscriber()
            passing.add(subscriber)
            subject.receive(subscriber: subscriber)
            if value.isMultiple(of: 2) { subscriber.cancel() }
          }
        }
        if thread == 0 { subject.send(completion: .finished) }
      })
    #expect(steady.isFinished)
    #expect(passing.elements.allSatisfy { $0.overlaps == 0 && $0.completions.count <= 1 })
    #expect(passing.elements.allSatisfy { $0.subscriptionCount == 1 })
  }
}
