import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("zip", .leakFree)
struct ZipTests {
  typealias Source = TestPublisher<Int, TestError>

  /// Ten times the first, plus the second.
  private func pairs(
    _ a: Source, _ b: Source, demand: Subscribers.Demand = .unlimited
  ) -> TestSubscriber<Int, TestError> {
    let subscriber = TestSubscriber<Int, TestError>(demand: demand)
    a.zip(b) { $0 * 10 + $1 }.subscribe(subscriber)
    return subscriber
  }

  @Test("Values pair up by position, whichever comes first")
  func pairsUp() {
    let a = Source()
    let b = Source()
    let subscriber = pairs(a, b)
    a.send(1)
    a.send(2)
    #expect(subscriber.values.isEmpty)
    b.send(1)
    b.send(2)
    b.send(3)
    a.send(3)
    #expect(subscriber.values == [11, 22, 33])
  }

  @Test("Rows of two, three and four publishers of different types, with and without a transform")
  func arities() {
    let numbers = [1, 2].publisher
    let letters = ["a", "b"].publisher
    let flags = [true, false].publisher
    let two = TestSubscriber<String, Never>()
    numbers.zip(letters).map { "\($0.0)\($0.1)" }.subscribe(two)
    #expect(two.values == ["1a", "2b"])
    let three = TestSubscriber<String, Never>()
    numbers.zip(letters, flags) { "\($0)\($1)\($2)" }.subscribe(three)
    #expect(three.values == ["1atrue", "2bfalse"])
    let four = TestSubscriber<String, Never>()
    numbers.zip(letters, flags, numbers) { "\($0)\($1)\($2)\($3)" }.subscribe(four)
    #expect(four.values == ["1atrue1", "2bfalse2"])
    for subscriber in [two, three, four] { #expect(subscriber.isFinished) }
    let fourTuples = TestSubscriber<(Int, String, Bool, Int), Never>()
    numbers.zip(letters, flags, numbers).subscribe(fourTuples)
    #expect(fourTuples.values.count == 2)
    #expect(numbers.zip(letters) == Publishers.Zip(numbers, letters))
  }

  @Test("Zip3 and Zip4 have initializers, properties and equality as in Combine")
  func types() {
    let numbers = [1, 2].publisher
    let letters = ["a", "b"].publisher
    let flags = [true, false].publisher
    let three = Publishers.Zip3(numbers, letters, flags)
    #expect(three.a == numbers && three.b == letters && three.c == flags)
    #expect(three == numbers.zip(letters, flags))
    #expect(three != numbers.zip(letters, [true].publisher))
    let rows = TestSubscriber<(Int, String, Bool), Never>()
    three.subscribe(rows)
    #expect(rows.values.map { "\($0)" } == ["(1, \"a\", true)", "(2, \"b\", false)"])
    let four = Publishers.Zip4(numbers, letters, flags, numbers)
    #expect(four.a == numbers && four.b == letters && four.c == flags && four.d == numbers)
    #expect(four == numbers.zip(letters, flags, numbers))
    #expect(four != numbers.zip(letters, flags, [3].publisher))
  }

  @Test("zip finishes and cancels the other once the values of a finished upstream are used up")
  func finishes() {
    let a = Source()
    let b = Source()
    let subscriber = pairs(a, b)
    a.send(1)
    a.send(completion: .finished)
    #expect(!subscriber.isFinished)
    b.send(1)
    #expect(subscriber.values == [11])
    #expect(subscriber.isFinished)
    #expect(b.cancelCount == 1)
  }

  @Test("An upstream without values finishes zip without a request to the other")
  func empty() {
    let b = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    Empty<Int, Never>().zip(b) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.isFinished)
    #expect(b.requests.isEmpty)
    #expect(b.cancelCount == 1)
  }

  @Test("C-3: each upstream receives the demand of the downstream")
  func demand() {
    let a = Source()
    let b = Source()
    let subscriber = pairs(a, b, demand: .none)
    #expect(a.requests.isEmpty)
    subscriber.request(.max(1))
    #expect(a.send(1) == .none)
    #expect(a.requests == [.max(1)])
    #expect(b.send(1) == .none)
    #expect(subscriber.values == [11])
    subscriber.request(.max(2))
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == [.max(1), .max(2)])
    b.send(2)
    b.send(3)
    a.send(2)
    a.send(3)
    #expect(subscriber.values == [11, 22, 33])
    subscriber.request(.unlimited)
    #expect(a.requests == [.max(1), .max(2), .unlimited])
  }

  @Test("Under limited demand no value that hot upstreams send within it is lost")
  func hot() {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(5))
    a.zip(b) { $0 * 10 + $1 }.subscribe(subscriber)
    for value in 1...5 { a.send(value) }
    for value in 1...5 { b.send(value) }
    #expect(subscriber.values == [11, 22, 33, 44, 55])
    a.send(6)
    b.send(6)
    subscriber.request(.max(1))
    a.send(7)
    b.send(7)
    #expect(subscriber.values.last == 77)
    #expect(subscriber.values.count == 6)
  }

  @Test("Demand returned for a pair goes to both upstreams once")
  func grants() {
    let a = Source()
    let b = Source()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, _ in .max(2) }
    a.zip(b) { $0 * 10 + $1 }.subscribe(subscriber)
    a.send(1)
    #expect(b.send(1) == .max(2))
    #expect(a.requests == [.max(1), .max(2)])
    #expect(b.requests == [.max(1)])
  }

  @Test("A late upstream receives the demand that its partner received")
  func late() {
    let scheduler = TestScheduler()
    let b = Source()
    let late = Source()
    let second = TestSubscriber<Int, TestError>(demand: .max(2))
    late.subscribe(on: scheduler).zip(b) { $0 * 10 + $1 }.subscribe(second)
    b.send(1)
    second.request(.max(1))
    scheduler.run()
    #expect(late.requests.reduce(.none, +) == .max(3))
    late.send(1)
    late.send(2)
    b.send(2)
    #expect(second.values == [11, 22])
  }

  @Test("C-15: a value beyond the demand is dropped and reported")
  func excess() {
    let a = Source()
    let b = Source()
    let subscriber = pairs(a, b, demand: .max(1))
    let reported = violations {
      a.send(1)
      a.send(2)
      b.send(1)
      b.send(2)
    }
    #expect(subscriber.values == [11])
    #expect(reported.map(\.rule) == [.moreThanDemanded, .moreThanDemanded])
  }

  @Test("C-3: endless sequences are pulled only as far as the demand")
  func endless() {
    let pulled = Tally()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(3))
    (0...).publisher.handleEvents(receiveOutput: { _ in pulled.add() })
      .zip((0...).publisher) { $0 + $1 }.subscribe(subscriber)
    #expect(subscriber.values == [0, 2, 4])
    #expect(pulled.count == 3)
  }

  @Test("The first failure ends the rows at once and cancels the other")
  func failure() {
    let a = Source()
    let b = Source()
    let subscriber = pairs(a, b)
    a.send(1)
    b.send(completion: .failure(.third))
    #expect(subscriber.failure == .third)
    #expect(subscriber.values.isEmpty)
    #expect(a.cancelCount == 1)
  }

  @Test("C-4: a cancel from inside the transform is final")
  func cancelInside() {
    let a = Source()
    let b = Source()
    let keeper = SubscriptionKeeper()
    a.zip(b) { a, b -> Int in
      keeper.subscription?.cancel()
      return a + b
    }.subscribe(KeptSubscriber(keeper: keeper))
    a.send(1)
    b.send(1)
    #expect(a.cancelCount == 1)
    #expect(b.cancelCount == 1)
  }

  @Test("C-9: values sent from inside a delivery make pairs afterwards")
  func reentrancy() {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let subscriber = TestSubscriber<Int, Never> { _, value in
      if value < 30 {
        a.send(value / 10 + 1)
        b.send(0)
      }
      return .none
    }
    a.zip(b) { $0 * 10 + $1 }.subscribe(subscriber)
    a.send(1)
    b.send(0)
    #expect(subscriber.values == [10, 20, 30])
    #expect(subscriber.overlaps == 0)
  }
}
