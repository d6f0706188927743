import Streams
import StreamsTesting
import Testing

@Suite("flatMap: a value that is there at once", .leakFree)
struct FlatMapJustTests {
  typealias Source = TestPublisher<Int, Never>
  typealias Subscriber = TestSubscriber<Int, Never>

  @Test("C-3: each is one of those that were asked for, and what is too much waits")
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

  @Test("C-3: what is asked for in answer to one counts for the next")
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

  @Test("Where so many run at a time, each asks for the next as it passes")
  func next() {
    let source = Source()
    let subscriber = Subscriber()
    source.flatMap(maxPublishers: .max(2)) { Just($0) }.subscribe(subscriber)
    for value in 1...3 { #expect(source.send(value) == .max(1)) }
    #expect(source.requests == [.max(2)])
    #expect(subscriber.values == [1, 2, 3])
  }

  @Test("Where none may run, nothing is asked for")
  func none() {
    let source = Source()
    source.flatMap(maxPublishers: .none) { Just($0) }.subscribe(Subscriber())
    #expect(source.requests.isEmpty)
  }

  @Test("An upstream that ends inside the closure: the end follows the value that comes of it")
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

  @Test("C-1: a request from inside a delivery brings the next after it")
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
