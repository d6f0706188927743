import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("buffer", .leakFree)
struct BufferTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  private func buffered(
    _ whenFull: Publishers.BufferingStrategy<TestError>
  ) -> (TestPublisher<Int, TestError>, Subscriber) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    source.buffer(size: 2, prefetch: .byRequest, whenFull: whenFull).subscribe(subscriber)
    for value in 1...4 { source.send(value) }
    return (source, subscriber)
  }

  @Test("buffer keeps the values that come before there is demand, then the end")
  func keeps() {
    let (source, subscriber) = buffered(.dropNewest)
    source.send(completion: .finished)
    #expect(subscriber.signals.count == 1)
    subscriber.request(.max(1))
    #expect(subscriber.values == [1])
    #expect(subscriber.completion == nil)
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("dropOldest drops the value that has waited longest")
  func dropsOldest() {
    let (_, subscriber) = buffered(.dropOldest)
    subscriber.request(.unlimited)
    #expect(subscriber.values == [3, 4])
  }

  @Test("P19: the error of a full buffer comes without demand and cancels the source")
  func customError() {
    let (source, subscriber) = buffered(.customError { .third })
    #expect(subscriber.failure == .third)
    #expect(subscriber.values.isEmpty)
    #expect(source.cancelCount == 1)
  }

  @Test("The upstream's failure waits behind the values")
  func failure() {
    let (source, subscriber) = buffered(.dropNewest)
    source.send(completion: .failure(.first))
    #expect(subscriber.completion == nil)
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.failure == .first)
  }

  @Test("With keepFull, buffer requests as much as it has room for")
  func keepFull() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).subscribe(subscriber)
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.send(2)
    subscriber.request(.max(1))
    #expect(source.requests == [.max(2), .max(1)])
    #expect(subscriber.values == [1])
  }

  @Test("Values with demand pass, whatever the size")
  func passes() {
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber(demand: .max(3))
    source.buffer(size: 0, prefetch: .byRequest, whenFull: .dropNewest).subscribe(subscriber)
    for value in 1...5 { source.send(value) }
    #expect(subscriber.values == [1, 2, 3])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1, 2, 3, 4])
  }

  @Test("Values that come during a delivery take no room if there is demand for them")
  func duringDelivery() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none) { _, value in
      if value == 1 { for next in 2...6 { source.send(next) } }
      return .none
    }
    source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).subscribe(subscriber)
    source.send(1)
    subscriber.request(.max(4))
    #expect(subscriber.values == [1, 2, 3, 4])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
  }

  @Test("C-5: very many values, requested one by one, pass on a small stack")
  func constantStack() {
    let seen = Tally()
    #expect(
      runsOnSmallStack {
        let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { _, _ in
          seen.add()
          return .max(1)
        }
        (0..<100_000).publisher.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest)
          .map { _ in 0 }.subscribe(subscriber)
      })
    #expect(seen.count == 100_000)
  }

  @Test("C-1: values arrive one at a time, in order, with demand from another thread")
  func race() {
    let source = PassthroughSubject<Int, TestError>()
    let expectation = Expectation()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none) { _, value in
      expectation.take(value)
      return .none
    }
    source.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest).subscribe(subscriber)
    #expect(
      raceEnds(threads: 2) { _, thread in
        for value in 0..<5_000 {
          if thread == 0 { source.send(value) } else { subscriber.request(.max(1)) }
        }
      })
    #expect(expectation.isInOrder(count: 5_000))
    #expect(subscriber.overlaps == 0)
  }
}
