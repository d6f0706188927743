import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("combineLatest and withLatestFrom", .leakFree)
struct CombineLatestTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("Once each input has a value, every new value delivers the latest ones")
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

  @Test("combineLatest finishes when all inputs have finished")
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

  @Test("combineLatest finishes and cancels the other if one input finished without a value")
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

  @Test("The types of three and four have initializers, properties and equality as in Combine")
  func types() {
    let letter = Just("a")
    let flag = Just(true)
    let numbers = [1, 2].publisher
    let three = Publishers.CombineLatest3(letter, flag, numbers)
    #expect(three.a == letter && three.b == flag && three.c == numbers)
    #expect(three == letter.combineLatest(flag, numbers))
    #expect(three != letter.combineLatest(flag, [3].publisher))
    let rows = TestSubscriber<(String, Bool, Int), Never>()
    three.subscribe(rows)
    #expect(rows.values.map { "\($0)" } == ["(\"a\", true, 1)", "(\"a\", true, 2)"])
    let four = Publishers.CombineLatest4(letter, flag, letter, numbers)
    #expect(four.a == letter && four.b == flag && four.c == letter && four.d == numbers)
    #expect(four == letter.combineLatest(flag, letter, numbers))
    #expect(four != letter.combineLatest(flag, letter, [3].publisher))
  }

  @Test("C-3: under limited demand the latest value of each side counts, as without a limit")
  func conflates() {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<String, Never>(demand: .max(1))
    a.combineLatest(b) { "\($0),\($1)" }.subscribe(subscriber)
    for value in 1...3 { a.send(value) }
    b.send(9)
    #expect(subscriber.values == ["3,9"])
    for value in 4...6 { a.send(value) }
    b.send(10)
    #expect(subscriber.values == ["3,9"])
    subscriber.request(.max(2))
    #expect(subscriber.values == ["3,9", "6,10"])
    a.send(7)
    #expect(subscriber.values == ["3,9", "6,10", "7,10"])
  }

  @Test("Three subjects under limited demand deliver the latest value of each")
  func conflatesThree() {
    let subjects = (0..<3).map { _ in CurrentValueSubject<Int, Never>(0) }
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
    subjects[0].combineLatest(subjects[1], subjects[2]) { $0 * 100 + $1 * 10 + $2 }
      .subscribe(subscriber)
    for value in 1...5 {
      for subject in subjects { subject.send(value) }
    }
    #expect(subscriber.values == [0])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 555])
  }

  @Test("Rows within the demand are not merged, even if they wait for a delivery to end")
  func keepsWhatWasAskedFor() {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(3)) { _, value in
      if value == 11 { for value in 2...5 { a.send(value) } }
      return .none
    }
    a.combineLatest(b) { $0 * 10 + $1 }.subscribe(subscriber)
    a.send(1)
    b.send(1)
    #expect(subscriber.values == [11, 21, 31])
    subscriber.request(.max(5))
    #expect(subscriber.values == [11, 21, 31, 51])
  }

  @Test("combineLatest requests nothing before the first demand, and everything from then on")
  func demand() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .none)
    a.combineLatest(b, +).subscribe(subscriber)
    #expect(a.requests.isEmpty)
    subscriber.request(.max(1))
    subscriber.request(.max(1))
    #expect(a.requests == [.unlimited])
    #expect(b.requests == [.unlimited])
    a.send(1)
    #expect(b.send(2) == .none)
    subscriber.request(.unlimited)
    #expect(a.requests == [.unlimited])
    #expect(subscriber.values == [3])
  }

  @Test("Demand returned for a row counts")
  func grants() {
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
    [1, 2].publisher.combineLatest([10, 20, 30].publisher, +).subscribe(subscriber)
    #expect(subscriber.values == [12, 22, 32])
    #expect(subscriber.isFinished)
  }

  @Test("C-6: a replaced row is released without the lock")
  func displacedRow() {
    let a = PassthroughSubject<ReleaseProbe, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<(ReleaseProbe, Int), Never>(demand: .max(1))
    a.combineLatest(b).subscribe(subscriber)
    a.send(ReleaseProbe())
    b.send(1)
    a.send(ReleaseProbe { b.send(2) })
    a.send(ReleaseProbe())
    a.send(ReleaseProbe())
    subscriber.request(.max(1))
    #expect(subscriber.values.map(\.1) == [1, 2])
  }

  @Test("C-3: a combination without demand waits for it, and the end waits for the combination")
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

  @Test("The first failure ends the stream at once and cancels the other")
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

  @Test("C-6: a replaced value is released without the lock")
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

  @Test("withLatestFrom drops values before the other's first and adds the latest to later ones")
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

  @Test("withLatestFrom continues after the other finishes only if it had delivered a value")
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
