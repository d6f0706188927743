import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("merge, zip and combineLatest: threads, stack and release", .leakFree)
struct FanInThreadsTests {
  private let count = 5_000

  @Test("C-1: four senders into merge lose no value, and each sender's values keep their order")
  func merge() {
    let sources = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>()
    sources[0].merge(with: sources[1], sources[2], sources[3]).subscribe(subscriber)
    send(from: sources)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.isFinished)
    #expect(subscriber.values.count == 4 * count)
    for index in 0..<4 {
      let own = subscriber.values.filter { $0 % 4 == index }
      #expect(own == (0..<count).map { $0 * 4 + index })
    }
  }

  @Test("C-1: four senders into zip deliver complete rows in order")
  func zip() {
    let sources = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let subscriber = TestSubscriber<Int, Never>()
    sources[0].zip(sources[1], sources[2], sources[3]) { a, b, c, d in
      a / 4 == b / 4 && b / 4 == c / 4 && c / 4 == d / 4 ? a / 4 : -1
    }.subscribe(subscriber)
    send(from: sources)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.isFinished)
    #expect(subscriber.values == Array(0..<count))
  }

  @Test("C-1: four senders into combineLatest never go back, and the last row comes last")
  func combineLatest() {
    let sources = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    let subscriber = TestSubscriber<[Int], Never>()
    sources[0].combineLatest(sources[1], sources[2], sources[3]) { [$0, $1, $2, $3] }
      .subscribe(subscriber)
    send(from: sources)
    #expect(subscriber.overlaps == 0)
    #expect(subscriber.isFinished)
    let rows = subscriber.values
    #expect(rows.last == (0..<4).map { (count - 1) * 4 + $0 })
    #expect(
      Swift.zip(rows, rows.dropFirst()).allSatisfy { before, after in
        Swift.zip(before, after).filter { $0 != $1 }.count == 1
          && Swift.zip(before, after).allSatisfy { $0 <= $1 }
      })
  }

  @Test("C-1, C-3: concurrent senders and requests never exceed the demand")
  func requests() {
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    let total = count
    (0..<total).publisher.merge(with: (total..<2 * total).publisher).subscribe(subscriber)
    #expect(
      raceEnds(threads: 3) { _, _ in
        for _ in 0..<total / 3 { subscriber.request(.max(1)) }
      })
    #expect(subscriber.values.count == total / 3 * 3)
    #expect(subscriber.overlaps == 0)
    subscriber.request(.unlimited)
    #expect(subscriber.values.sorted() == Array(0..<2 * total))
    #expect(subscriber.isFinished)
  }

  @Test(
    "C-5: a million values or publishers need constant stack, with any demand",
    arguments: Combination.all, [Subscribers.Demand.unlimited, .max(1)])
  func constantStack(combination: Combination, demand: Subscribers.Demand) {
    let seen = Tally()
    let ends = Tally()
    #expect(
      runsOnSmallStack(within: 240) {
        combination.make((0..<manyTimes).publisher).subscribe(
          AnySubscriber(
            receiveSubscription: { $0.request(demand) },
            receiveValue: { _ in
              seen.add()
              return demand == .unlimited ? .none : demand
            }, receiveCompletion: { _ in ends.add() }))
      })
    #expect(seen.count >= manyTimes)
    #expect(ends.count == 1)
  }

  /// A stream made of many values or publishers.
  struct Combination: Sendable, CustomTestStringConvertible {
    typealias Numbers = Publishers.Sequence<Range<Int>, Never>

    let name: String
    let make: @Sendable (Numbers) -> AnyPublisher<Int, Never>

    init<Stream: Publisher<Int, Never>>(
      _ name: String, _ make: @escaping @Sendable (Numbers) -> Stream
    ) {
      self.name = name
      self.make = { make($0).eraseToAnyPublisher() }
    }

    var testDescription: String { name }

    static let all = [
      Combination("merge") { $0.merge(with: Empty()) },
      Combination("zip") { $0.zip($0, +) },
      Combination("combineLatest") { $0.combineLatest($0, +) },
      Combination("withLatestFrom") { $0.withLatestFrom(Just(1), +) },
      Combination("append") { $0.append($0) },
      Combination("concatenated") { $0.sequence.map { Just($0) }.concatenated() },
      Combination("merged") { $0.sequence.map { Just($0) }.merged() },
      Combination("switchToLatest") { $0.map { Just($0) }.switchToLatest() },
      Combination("flatMapFirst") { $0.flatMapFirst { Just($0) } },
      Combination("flatMapLatest") { $0.flatMapLatest { Just($0) } },
    ]
  }

  @Test("C-7: a cancel and an end release everything", arguments: [true, false])
  func releases(isCancelled: Bool) throws {
    let a = PassthroughSubject<Int, Never>()
    let b = PassthroughSubject<Int, Never>()
    let streams: [@Sendable (ReleaseProbe) -> AnyPublisher<Int, Never>] = [
      { probe in a.map(probe.pass).merge(with: b).eraseToAnyPublisher() },
      { probe in a.map(probe.pass).zip(b) { probe.pass($0) + $1 }.eraseToAnyPublisher() },
      { probe in a.map(probe.pass).combineLatest(b, +).eraseToAnyPublisher() },
      { probe in a.map(probe.pass).withLatestFrom(b, +).eraseToAnyPublisher() },
      { probe in a.map(probe.pass).race(with: b).eraseToAnyPublisher() },
      { probe in a.flatMapFirst { _ in b.map(probe.pass) }.eraseToAnyPublisher() },
      { probe in a.map { _ in b.map(probe.pass) }.switchToLatest().eraseToAnyPublisher() },
      { probe in a.map(probe.pass).append(b).eraseToAnyPublisher() },
    ]
    var held: [(Weak<ReleaseProbe>, SubscriptionKeeper)] = []
    for stream in streams {
      let keeper = SubscriptionKeeper()
      let probe = ReleaseProbe()
      stream(probe).subscribe(KeptSubscriber(keeper: keeper))
      held.append((Weak(probe), keeper))
    }
    a.send(1)
    b.send(2)
    for (weak, keeper) in held {
      #expect(!weak.isReleased)
      if isCancelled { keeper.subscription?.cancel() }
    }
    if !isCancelled {
      a.send(completion: .finished)
      b.send(completion: .finished)
    }
    for (index, (weak, _)) in held.enumerated() { #expect(weak.isReleased, "\(index)") }
  }

  private func send(from sources: [PassthroughSubject<Int, Never>]) {
    let count = count
    #expect(
      raceEnds(threads: sources.count) { _, thread in
        for value in 0..<count { sources[thread].send(value * sources.count + thread) }
        sources[thread].send(completion: .finished)
      })
  }
}

extension ReleaseProbe {
  /// Passes a value on.
  ///
  /// The calling closure captures it.
  fileprivate func pass(_ value: Int) -> Int {
    touch()
    return value
  }
}
