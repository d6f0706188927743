import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of operators with child publishers", .leakFree)
struct FlatMapPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>
  typealias Build = Following.Build

  @Test("P-6: a child sends on one thread while another thread requests", arguments: Following.all)
  func threads(operator: Setup<Build>) {
    let count = 2_000
    let child = ReplaySubject<Int, TestError>(bufferSize: count)
    let source = PassthroughSubject<Int, TestError>()
    let expectation = Expectation()
    let subscriber = Subscriber(demand: .max(1)) { _, value in
      expectation.take(value - 1)
      return .none
    }
    `operator`.make(source.any) { child.any }.subscribe(subscriber)
    source.send(0)
    #expect(
      raceEnds(threads: 2) { _, thread in
        for value in 1...count {
          if thread == 0 { child.send(value) } else { subscriber.request(.max(1)) }
        }
      })
    #expect(subscriber.overlaps == 0)
    // Some ask for one value more than they deliver: the source's own takes one.
    #expect(subscriber.values.count >= count - 1)
    #expect(expectation.isInOrder(count: subscriber.values.count))
  }

  @Test(
    "P-7: a cancel from inside a value stops a child with a million values",
    arguments: Following.all)
  func cancelInside(operator: Setup<Build>) {
    let given = Tally()
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber { subscriber, _ in
      subscriber.cancel()
      return .unlimited
    }
    `operator`.make(source.any) {
      (1...1_000_000).publisher.handleEvents(receiveOutput: { _ in given.add() })
        .setFailureType(to: TestError.self).any
    }.subscribe(subscriber)
    source.send(0)
    #expect(subscriber.kinds == ["subscription", "1"])
    #expect(given.count == 1)
  }

  static let buffers: [Setup<@Sendable (IntStream) -> IntStream>] = [
    Setup("buffer") {
      $0.buffer(size: .max, prefetch: .byRequest, whenFull: .dropNewest).any
    },
    Setup("receive(on: .immediate)") { $0.receive(on: .immediate).any },
    Setup("share(replay:)") { $0.share(replay: .max).any },
    Setup("merge") { $0.merge(with: Empty()).any },
    Setup("zip") { $0.zip($0) { first, _ in first }.any },
    Setup("flatMap of as many") { source in source.flatMap { Just($0) }.any },
    Setup("flatMap of one") { source in Just(0).flatMap { _ in source }.any },
  ]

  @Test(
    "P-8: 10⁵ waiting values are taken one by one in linear time",
    .timeLimit(.minutes(10)),
    arguments: buffers)
  func drain(buffer: Setup<@Sendable (IntStream) -> IntStream>) {
    let expectation = Expectation()
    let subscriber = Subscriber(demand: .none) { _, value in
      expectation.take(value)
      return .none
    }
    let source = (0..<manyTimes).publisher.setFailureType(to: TestError.self)
    buffer.make(source.any).subscribe(subscriber)
    for _ in 0..<manyTimes { subscriber.request(.max(1)) }
    #expect(expectation.isInOrder(count: manyTimes))
    #expect(subscriber.isFinished)
  }

  @Test(
    "P-20: values of a child beyond its demand are dropped and reported", arguments: Following.all)
  func moreThanDemanded(operator: Setup<Build>) {
    let child = TestPublisher<Int, TestError>()
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber(demand: .max(2))
    `operator`.make(source.any) { child.any }.subscribe(subscriber)
    source.send(0)
    let reported = violations { for value in 1...5 { child.send(value) } }
    let isHeld = subscriber.values.count <= 2
    // An operator with one upstream at a time passes on all values. The demand is its source's.
    #expect(isHeld || subscriber.values == [1, 2, 3, 4, 5])
    #expect(reported.allSatisfy { $0.rule == .moreThanDemanded })
    if `operator`.testDescription == "switchToLatest" { #expect(isHeld && !reported.isEmpty) }
    subscriber.cancel()
  }
}
