import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("flatMap", .leakFree)
struct FlatMapTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("Single-value publishers keep the order of the values that made them, with any demand")
  func orderOfJusts() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    source.flatMap { Just($0) }.subscribe(subscriber)
    for value in 1...3 { source.send(value) }
    subscriber.request(.max(1))
    for value in 4...5 { source.send(value) }
    subscriber.request(.max(2))
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2, 3, 4, 5])
  }

  @Test("flatMap merges the values of all children and finishes with the last of them")
  func merges() {
    let source = PassthroughSubject<Int, TestError>()
    let children = (0..<2).map { _ in PassthroughSubject<Int, TestError>() }
    let subscriber = Subscriber()
    source.flatMap { children[$0] }.subscribe(subscriber)
    source.send(0)
    source.send(1)
    children[1].send(10)
    children[0].send(20)
    source.send(completion: .finished)
    children[0].send(completion: .finished)
    #expect(subscriber.completion == nil)
    children[1].send(30)
    children[1].send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "10", "20", "30", "finished"])
  }

  @Test("flatMap finishes with the upstream when all children have finished")
  func upstreamLast() {
    let source = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.flatMap { Just($0) }.subscribe(subscriber)
    source.send(1)
    #expect(subscriber.completion == nil)
    source.send(completion: .finished)
    #expect(subscriber.isFinished)
  }

  @Test("maxPublishers limits the running children, and a limit of one runs them in order")
  func maxPublishers() {
    let children = (0..<3).map { _ in TestPublisher<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>()
    (0..<3).publisher.flatMap(maxPublishers: .max(2)) { children[$0] }.subscribe(subscriber)
    #expect(children.map(\.subscriptionCount) == [1, 1, 0])
    children[1].send(completion: .finished)
    #expect(children.map(\.subscriptionCount) == [1, 1, 1])
    children[0].send(completion: .finished)
    #expect(!subscriber.isFinished)
    children[2].send(completion: .finished)
    #expect(subscriber.isFinished)
  }

  @Test("The first failure of a child ends the stream at once and cancels the rest")
  func childFailure() {
    let source = TestPublisher<Int, TestError>()
    let children = (0..<2).map { _ in TestPublisher<Int, TestError>() }
    let subscriber = Subscriber()
    source.flatMap { children[$0] }.subscribe(subscriber)
    source.send(0)
    source.send(1)
    children[0].send(completion: .failure(.second))
    #expect(subscriber.kinds == ["subscription", "failure second"])
    #expect(source.cancelCount == 1)
    #expect(children.map(\.cancelCount) == [0, 1])
  }

  @Test("A failure of the upstream ends the stream at once and cancels the children")
  func upstreamFailure() {
    let source = TestPublisher<Int, TestError>()
    let child = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .none)
    source.flatMap { _ in child }.subscribe(subscriber)
    source.send(0)
    child.send(1)
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription", "failure first"])
    #expect(child.cancelCount == 1)
    #expect(source.cancelCount == 0)
  }

  @Test("A failure from inside a delivery comes after that delivery")
  func failureInside() {
    let source = PassthroughSubject<Int, TestError>()
    let child = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber { _, value in
      source.send(completion: .failure(.third))
      child.send(value + 1)
      return .none
    }
    source.flatMap { _ in child }.subscribe(subscriber)
    source.send(0)
    child.send(1)
    #expect(subscriber.kinds == ["subscription", "1", "failure third"])
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-3: values wait for demand, at most one for each child, and come in order")
  func buffering() {
    let children = (0..<3).map { _ in TestPublisher<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    (0..<3).publisher.flatMap { children[$0] }.subscribe(subscriber)
    for (index, child) in children.enumerated() {
      #expect(child.requests == [.max(1)])
      #expect(child.send(index) == .none)
    }
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(2))
    #expect(subscriber.values == [0, 1])
    for child in children { #expect(child.requests == [.max(1)]) }
    subscriber.request(.max(1))
    for child in children { #expect(child.requests == [.max(1), .max(1)]) }
    children[0].send(3)
    for child in children { child.send(completion: .finished) }
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 1, 2, 3])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: a child of many values keeps their order if they are requested one by one")
  func oneByOne() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    (0..<4).publisher.flatMap { base in (0..<5).publisher.map { base * 10 + $0 } }
      .subscribe(subscriber)
    for count in 1...20 {
      subscriber.request(.max(1))
      #expect(subscriber.values.count == count)
    }
    for base in 0..<4 {
      #expect(subscriber.values.filter { $0 / 10 == base } == (0..<5).map { base * 10 + $0 })
    }
    #expect(subscriber.isFinished)
  }

  @Test("The failure types of upstream and child may be Never or the same")
  func failureTypes() {
    let fails = Subscriber()
    Just(1).flatMap { _ in Fail(outputType: Int.self, failure: TestError.first) }.subscribe(fails)
    #expect(fails.failure == .first)
    let lifted = Subscriber()
    Just(1).setFailureType(to: TestError.self).flatMap { Just($0 + 1) }.subscribe(lifted)
    #expect(lifted.values == [2])
  }

  @Test("P7: a cancel inside receive(_:) stops a synchronous child of a million values")
  func cancelInChild() {
    let pulled = Tally()
    let subscriber = TestSubscriber<Int, Never> { subscriber, value in
      if value == 3 { subscriber.cancel() }
      return .none
    }
    Just(0).flatMap { _ in
      (1...1_000_000).publisher.handleEvents(receiveOutput: { _ in pulled.add() })
    }.subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.completion == nil)
    #expect(pulled.count == 3)
  }

  @Test("C-4: a cancel cancels the upstream and every child that runs, once")
  func cancelsAll() {
    let source = TestPublisher<Int, Never>()
    let children = (0..<3).map { _ in TestPublisher<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>()
    source.flatMap { children[$0] }.subscribe(subscriber)
    for index in 0..<3 { source.send(index) }
    children[1].send(completion: .finished)
    subscriber.cancel()
    subscriber.cancel()
    #expect(source.cancelCount == 1)
    #expect(children.map(\.cancelCount) == [1, 0, 1])
  }

  @Test("C-4: a cancel suppresses waiting values")
  func cancelWhileWaiting() {
    let child = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    Just(0).flatMap { _ in child }.subscribe(subscriber)
    child.send(1)
    subscriber.cancel()
    subscriber.request(.unlimited)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-1, P6: a child sends on one thread while the downstream requests on another")
  func requestRace() {
    let count = 2_000
    let child = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    [child, other].publisher.flatMap { $0 }.subscribe(subscriber)
    #expect(
      raceEnds(threads: 3) { _, thread in
        for value in 0..<count {
          switch thread {
          case 0: child.send(value)
          case 1: other.send(-value)
          default: subscriber.request(.max(1))
          }
        }
      })
    subscriber.request(.unlimited)
    #expect(subscriber.overlaps == 0)
    let ups = subscriber.values.filter { $0 > 0 }
    let downs = subscriber.values.filter { $0 < 0 }
    #expect(ups == ups.sorted())
    #expect(downs == downs.sorted(by: >))
  }

  @Test("C-1: values of eight children on eight threads all arrive, one at a time")
  func manyThreads() {
    let count = 2_000
    let children = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>()
    children.publisher.flatMap { $0 }.subscribe(subscriber)
    #expect(
      raceEnds(threads: 8) { _, thread in
        for value in 0..<count { children[thread].send(thread * count + value) }
        children[thread].send(completion: .finished)
      })
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.values.sorted() == Array(0..<(8 * count)))
    #expect(subscriber.isFinished)
    for thread in 0..<8 {
      let own = subscriber.values.filter { $0 / count == thread }
      #expect(own == own.sorted())
    }
  }
}
