import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("flatMap: children with an immediate value", .leakFree)
struct FlatMapJustTests {
  typealias Source = TestPublisher<Int, Never>
  typealias Subscriber = TestSubscriber<Int, Never>

  @Test("C-3: each value uses up demand, and values beyond the demand wait")
  func demand() {
    let source = Source()
    let subscriber = Subscriber(demand: .max(2))
    source.flatMap { Just($0) }.subscribe(subscriber)
    for value in 1...3 { #expect(source.send(value) == .none) }
    #expect(subscriber.values == [1, 2])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2, 3])
    source.send(completion: .finished)
    #expect(subscriber.isFinished)
  }

  @Test("C-3: demand returned for a value counts for the next")
  func grants() {
    let source = Source()
    let subscriber = Subscriber(demand: .max(1)) { _, value in value < 3 ? .max(1) : .none }
    source.flatMap { Just($0) }.subscribe(subscriber)
    for value in 1...4 { source.send(value) }
    #expect(subscriber.values == [1, 2, 3])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(source.send(5) == .none)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
  }

  @Test("With a limit of children, each value that passes requests the next")
  func next() {
    let source = Source()
    let subscriber = Subscriber()
    source.flatMap(maxPublishers: .max(2)) { Just($0) }.subscribe(subscriber)
    for value in 1...3 { #expect(source.send(value) == .max(1)) }
    #expect(source.requests == [.max(2)])
    #expect(subscriber.values == [1, 2, 3])
  }

  @Test("With a limit of none, nothing is requested")
  func none() {
    let source = Source()
    source.flatMap(maxPublishers: .none) { Just($0) }.subscribe(Subscriber())
    #expect(source.requests.isEmpty)
  }

  @Test("An end inside the closure follows the value of that closure's publisher")
  func endInside() {
    let source = Source()
    let subscriber = Subscriber()
    source.flatMap { value -> Just<Int> in
      source.send(completion: .finished)
      return Just(value)
    }.subscribe(subscriber)
    source.send(1)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
  }

  @Test("C-1: a request from inside a delivery delivers the next value afterwards")
  func requestInside() {
    let subscriber = Subscriber(demand: .none) { subscriber, _ in
      subscriber.request(.max(1))
      return .none
    }
    (0..<3).publisher.flatMap { Just($0) }.subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 1, 2])
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }
}
