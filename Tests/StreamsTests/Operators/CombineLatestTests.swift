import Streams
import StreamsTesting
import Testing

@Suite("combineLatest and withLatestFrom", .leakFree)
struct CombineLatestTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("The latest values come whenever one of them does, once each has one")
  func latest() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(subscriber)
    a.send(1)
    a.send(2)
    b.send(5)
    b.send(6)
    a.send(3)
    #expect(subscriber.values == [25, 26, 36])
  }

  @Test("It finishes when all have finished")
  func finishes() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.combineLatest(b, +).subscribe(subscriber)
    a.send(1)
    a.send(completion: .finished)
    b.send(2)
    b.send(3)
    #expect(subscriber.values == [3, 4])
    b.send(completion: .finished)
    #expect(subscriber.isFinished)
  }

  @Test("It finishes, and cancels the other, when one has finished without a value")
  func empty() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.combineLatest(b, +).subscribe(subscriber)
    a.send(1)
    b.send(completion: .finished)
    #expect(subscriber.isFinished)
    #expect(a.cancelCount == 1)
  }

  @Test("Two, three and four publishers of different types, with and without a transform")
  func arities() {
    let letter = Just("a")
    let flag = Just(true)
    let numbers = [1, 2].publisher
    let two = TestSubscriber<String, Never>()
    letter.combineLatest(numbers).map { "\($0.0)\($0.1)" }.subscribe(two)
    #expect(two.values == ["a1", "a2"])
    let three = TestSubscriber<String, Never>()
    letter.combineLatest(flag, numbers) { "\($0)\($1)\($2)" }.subscribe(three)
    #expect(three.values == ["atrue1", "atrue2"])
    let four = TestSubscriber<String, Never>()
    letter.combineLatest(flag, letter, numbers) { "\($0)\($1)\($2)\($3)" }.subscribe(four)
    #expect(four.values == ["atruea1", "atruea2"])
    for subscriber in [two, three, four] { #expect(subscriber.isFinished) }
  }

  @Test("C-3: under limited demand no upstream runs ahead, and no combination is lost")
  func demand() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    (1...).publisher.combineLatest([10, 20].publisher, +).subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(subscriber.values == [11])
    subscriber.request(.max(1))
    #expect(subscriber.values.count == 2)
    subscriber.request(.max(2))
    #expect(subscriber.values.count == 4)
    #expect(Set(subscriber.values).count == 4)
  }

  @Test("C-3: a combination that comes without demand waits for it, and the end for that")
  func waits() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .max(1))
    a.combineLatest(b, +).subscribe(subscriber)
    a.send(1)
    b.send(2)
    #expect(subscriber.values == [3])
    subscriber.request(.max(1))
    a.send(10)
    b.send(20)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(subscriber.values == [3, 12])
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(subscriber.values == [3, 12, 30])
    #expect(subscriber.isFinished)
  }

  @Test("The first failure ends it at once and cancels the other")
  func failure() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.combineLatest(b, +).subscribe(subscriber)
    b.send(1)
    a.send(completion: .failure(.first))
    #expect(subscriber.failure == .first)
    #expect(b.cancelCount == 1)
  }

  @Test("C-6: a value that is displaced is released without the lock")
  func displaced() {
    let a = PassthroughSubject<ReleaseProbe, Never>()
    let b = PassthroughSubject<ReleaseProbe, Never>()
    let count = Tally()
    let subscriber = TestSubscriber<Int, Never>()
    a.combineLatest(b) { _, _ in count.add() }.subscribe(subscriber)
    b.send(ReleaseProbe())
    a.send(ReleaseProbe { b.send(ReleaseProbe()) })
    a.send(ReleaseProbe())
    #expect(subscriber.values == [1, 2, 3])
  }

  // MARK: withLatestFrom

  @Test("withLatestFrom gives each value the latest of the other, and drops those before its first")
  func withLatest() {
    let source = Source()
    let other = Source()
    let subscriber = Subscriber(demand: .max(2))
    source.withLatestFrom(other) { $0 * 10 + $1 }.subscribe(subscriber)
    #expect(other.requests == [.unlimited])
    #expect(source.requests == [.max(1)])
    #expect(source.send(1) == .max(1))
    other.send(5)
    other.send(6)
    #expect(source.send(2) == .max(1))
    #expect(source.send(3) == .none)
    #expect(subscriber.values == [26, 36])
    source.send(completion: .finished)
    #expect(subscriber.isFinished)
    #expect(other.cancelCount == 1)
  }

  @Test("withLatestFrom goes on when the other has finished with a value, and not without")
  func withLatestEnds() {
    let source = Source()
    let other = Source()
    let subscriber = TestSubscriber<(Int, Int), TestError>()
    source.withLatestFrom(other).subscribe(subscriber)
    other.send(1)
    other.send(completion: .finished)
    source.send(2)
    #expect(subscriber.values.map { $0.0 + $0.1 } == [3])
    #expect(!subscriber.isFinished)
    let second = Subscriber()
    source.withLatestFrom(Empty(), +).subscribe(second)
    #expect(second.isFinished)
    let third = Subscriber()
    source.withLatestFrom(Fail(outputType: Int.self, failure: .third), +).subscribe(third)
    #expect(third.failure == .third)
  }
}
