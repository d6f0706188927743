import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("switchToLatest, flatMapLatest and flatMapFirst", .leakFree)
struct SwitchToLatestTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("switchToLatest follows the latest publisher and cancels the previous one")
  func switches() {
    let source = PassthroughSubject<Source, TestError>()
    let children = [Source(), Source()]
    let subscriber = Subscriber()
    source.switchToLatest().subscribe(subscriber)
    source.send(children[0])
    children[0].send(1)
    source.send(children[1])
    #expect(children[0].cancelCount == 1)
    children[1].send(2)
    source.send(completion: .finished)
    #expect(!subscriber.isFinished)
    children[1].send(completion: .finished)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("P20: the new publisher receives the demand that the previous one left open")
  func demand() {
    let source = PassthroughSubject<Source, TestError>()
    let children = [Source(), Source()]
    let subscriber = Subscriber(demand: .max(3))
    source.switchToLatest().subscribe(subscriber)
    source.send(children[0])
    #expect(children[0].requests == [.max(3)])
    children[0].send(1)
    source.send(children[1])
    #expect(children[1].requests == [.max(2)])
    subscriber.request(.max(1))
    #expect(children[1].requests == [.max(2), .max(1)])
    let rules = violations { for value in 2...5 { children[1].send(value) } }.map(\.rule)
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(rules == [.moreThanDemanded])
  }

  @Test("Demand returned for a value goes to the publisher that is current then")
  func grantedDemand() {
    let source = PassthroughSubject<Source, TestError>()
    let children = [Source(), Source()]
    let subscriber = Subscriber(demand: .max(1)) { _, value in
      if value == 1 { source.send(children[1]) }
      return .max(2)
    }
    source.switchToLatest().subscribe(subscriber)
    source.send(children[0])
    #expect(children[0].send(1) == .none)
    #expect(children[1].requests == [.max(2)])
    #expect(children[1].send(2) == .max(2))
  }

  @Test("A failure of the upstream or the child ends the stream at once and cancels the other")
  func failure() {
    let source = TestPublisher<Source, TestError>()
    let child = Source()
    let subscriber = Subscriber()
    source.switchToLatest().subscribe(subscriber)
    source.send(child)
    child.send(completion: .failure(.first))
    #expect(subscriber.failure == .first)
    #expect(source.cancelCount == 1)
    let other = Subscriber()
    source.switchToLatest().subscribe(other)
    source.send(child)
    source.send(completion: .failure(.second))
    #expect(other.failure == .second)
    #expect(child.cancelCount == 1)
    #expect(source.cancelCount == 1)
  }

  @Test("The failure types of upstream and latest child may be Never or the same")
  func failureTypes() {
    let a = TestSubscriber<Int, Never>()
    Just(Just(1)).switchToLatest().subscribe(a)
    #expect(a.values == [1])
    let b = Subscriber()
    Just(Just(2)).setFailureType(to: TestError.self).switchToLatest().subscribe(b)
    #expect(b.values == [2])
    let c = Subscriber()
    Just(Fail(outputType: Int.self, failure: TestError.third)).switchToLatest().subscribe(c)
    #expect(c.failure == .third)
  }

  @Test("C-4: a cancel from inside a synchronous child stops it, and cancels the upstream")
  func cancel() {
    let source = TestPublisher<Range<Int>, Never>()
    let subscriber = TestSubscriber<Int, Never> { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    source.map(\.publisher).switchToLatest().subscribe(subscriber)
    source.send(0..<1_000_000)
    #expect(subscriber.values == [0, 1, 2])
    #expect(source.cancelCount == 1)
  }

  @Test("A switch from inside a delivery drops later values of the old child")
  func switchInside() {
    let source = TestPublisher<Range<Int>, Never>()
    let subscriber = TestSubscriber<Int, Never> { _, value in
      if value == 1 { source.send(10..<12) }
      return .none
    }
    source.map(\.publisher).switchToLatest().subscribe(subscriber)
    source.send(0..<5)
    source.send(completion: .finished)
    #expect(subscriber.values == [0, 1, 10, 11])
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("flatMapFirst drops values while a publisher runs, without calling its closure")
  func first() {
    let source = Source()
    let children = [Source(), Source(), Source()]
    let made = Recording<Int>()
    let subscriber = Subscriber(demand: .max(2))
    source.flatMapFirst { index in
      made.add(index)
      return children[index]
    }.subscribe(subscriber)
    #expect(source.requests == [.unlimited])
    source.send(0)
    source.send(1)
    children[0].send(1)
    children[0].send(completion: .finished)
    source.send(2)
    #expect(children[2].requests == [.max(1)])
    children[2].send(2)
    source.send(completion: .finished)
    children[2].send(completion: .finished)
    #expect(made.elements == [0, 2])
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("flatMapLatest follows the latest publisher and cancels the previous one")
  func flatMapLatestSwitches() {
    let source = PassthroughSubject<Int, TestError>()
    let children = [
      PassthroughSubject<String, TestError>(), PassthroughSubject<String, TestError>(),
    ]
    let subscriber = TestSubscriber<String, TestError>()
    source.flatMapLatest { children[$0] }.subscribe(subscriber)
    source.send(0)
    children[0].send("a")
    source.send(1)
    children[0].send("late")
    children[1].send("b")
    source.send(completion: .finished)
    #expect(subscriber.completion == nil)
    children[1].send(completion: .finished)
    #expect(subscriber.values == ["a", "b"])
    #expect(subscriber.completion == .finished)
  }

  @Test("flatMapLatest keeps failure types")
  func flatMapLatestFailures() {
    let a = TestSubscriber<Int, Never>()
    Just(1).flatMapLatest { Just($0 + 1) }.subscribe(a)
    #expect(a.values == [2] && a.isFinished)
    let b = TestSubscriber<Int, TestError>()
    Just(1).flatMapLatest { _ in Fail(outputType: Int.self, failure: TestError.first) }.subscribe(b)
    #expect(b.completion == .failure(.first))
    let c = TestSubscriber<Int, TestError>()
    Just(1).setFailureType(to: TestError.self).flatMapLatest { Just($0) }.subscribe(c)
    #expect(c.values == [1] && c.isFinished)
  }

  @Test("flatMapFirst keeps failure types")
  func firstFailureTypes() {
    let a = TestSubscriber<Int, Never>()
    Just(1).flatMapFirst { Just($0 + 1) }.subscribe(a)
    #expect(a.values == [2])
    let b = Subscriber()
    Just(1).flatMapFirst { _ in Fail(outputType: Int.self, failure: TestError.first) }.subscribe(b)
    #expect(b.failure == .first)
    let c = Subscriber()
    Just(1).setFailureType(to: TestError.self).flatMapFirst { Just($0) }.subscribe(c)
    #expect(c.values == [1])
  }

  @Test("C-1: signals of children and switches on two threads are delivered one at a time")
  func threads() {
    let source = PassthroughSubject<Int, Never>()
    let values = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.map { base in values.map { $0 + base } }.switchToLatest().subscribe(subscriber)
    #expect(
      raceEnds(threads: 3) { _, thread in
        for value in 0..<2_000 {
          if thread == 0 { source.send(value) } else { values.send(value) }
        }
      })
    source.send(completion: .finished)
    values.send(completion: .finished)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.isFinished)
  }
}
