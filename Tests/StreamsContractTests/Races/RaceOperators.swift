import Streams
import StreamsFixtures

/// Operators with a state, each fed by two sources that two threads play.
enum RaceOperators {
  typealias Build =
    @Sendable (_ first: IntStream, _ second: IntStream, _ scheduler: any Scheduler) -> IntStream

  static let time = Duration.milliseconds(3)

  static let all: [Setup<Build>] = combining + following + timing + sharing + serial

  private static let combining: [Setup<Build>] = [
    Setup("merge") { first, second, _ in first.merge(with: second).any },
    Setup("merge3") { first, second, _ in first.merge(with: second, first).any },
    Setup("zip") { first, second, _ in first.zip(second) { $0 + $1 }.any },
    Setup("combineLatest") { first, second, _ in first.combineLatest(second) { $0 + $1 }.any },
    Setup("withLatestFrom") { first, second, _ in first.withLatestFrom(second) { $0 + $1 }.any },
    Setup("race") { first, second, _ in first.race(with: second).any },
    Setup("prefix(untilOutputFrom:)") { first, second, _ in
      first.prefix(untilOutputFrom: second).any
    },
    Setup("drop(untilOutputFrom:)") { first, second, _ in
      first.drop(untilOutputFrom: second).any
    },
  ]

  private static let following: [Setup<Build>] = [
    Setup("flatMap") { first, second, _ in first.flatMap { _ in second }.any },
    Setup("flatMap, one") { first, second, _ in
      first.flatMap(maxPublishers: .max(1)) { _ in second }.any
    },
    Setup("switchToLatest") { first, second, _ in first.map { _ in second }.switchToLatest().any },
    Setup("flatMapLatest") { first, second, _ in first.flatMapLatest { _ in second }.any },
    Setup("flatMapFirst") { first, second, _ in first.flatMapFirst { _ in second }.any },
    Setup("append") { first, second, _ in first.append(second).any },
    Setup("catch") { first, second, _ in first.catch { _ in second }.any },
    Setup("retry") { first, _, _ in first.retry(2).any },
    Setup("retryOn") { first, second, _ in
      first.retryOn({ _ in true }, retries: 2, chainedPublisher: second).any
    },
    Setup("expand") { first, second, _ in first.expand { _ in second.prefix(1) }.any },
  ]

  private static let timing: [Setup<Build>] = [
    Setup("receive(on:)") { first, _, scheduler in first.receive(on: scheduler).any },
    Setup("subscribe(on:)") { first, _, scheduler in first.subscribe(on: scheduler).any },
    Setup("delay") { first, _, scheduler in first.delay(for: time, scheduler: scheduler).any },
    Setup("debounce") { first, _, scheduler in
      first.debounce(for: time, scheduler: scheduler).any
    },
    Setup("throttle") { first, _, scheduler in
      first.throttle(for: time, scheduler: scheduler, latest: true).any
    },
    Setup("timeout") { first, _, scheduler in first.timeout(time, scheduler: scheduler).any },
    Setup("collect by time") { first, _, scheduler in
      first.collect(.byTimeOrCount(scheduler, time, 2)).map(\.count).any
    },
    Setup("merge, receive(on:)") { first, second, scheduler in
      first.merge(with: second).receive(on: scheduler).any
    },
    Setup("buffer") { first, second, _ in
      first.merge(with: second).buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).any
    },
  ]

  private static let sharing: [Setup<Build>] = [
    Setup("share") { first, _, _ in first.share().any },
    Setup("share, merge") { first, second, _ in
      let shared = first.share()
      return shared.merge(with: shared, second).any
    },
    Setup("share(replay:)") { first, _, _ in first.share(replay: 2).any },
    Setup("share, retry") { first, _, _ in first.share().retry(2).any },
    Setup("multicast, CurrentValueSubject") { first, _, _ in
      first.multicast { CurrentValueSubject(0) }.autoconnect().any
    },
    Setup("SingleFlight") { first, _, _ in
      SingleFlight<Int, Int, TestError>().publisher(for: 0) { first }.any
    },
  ]

  private static let serial: [Setup<Build>] = [
    Setup("prefix") { first, second, _ in first.merge(with: second).prefix(3).any },
    Setup("last") { first, second, _ in first.merge(with: second).last().any },
    Setup("scan") { first, second, _ in first.merge(with: second).scan(0) { $0 + $1 }.any },
    Setup("collect") { first, second, _ in first.merge(with: second).collect(2).map(\.count).any },
    Setup("splitter") { first, second, _ in first.merge(with: second).through(Twice()).any },
    Setup("handleEvents") { first, second, _ in
      first.merge(with: second).handleEvents(receiveOutput: { _ in }).any
    },
  ]
}

/// Gives each number twice.
private struct Twice: Publishers.Splitter {
  private var left: [Int] = []

  mutating func receive(_ input: Int) throws(TestError) {
    left = [input, input]
  }

  mutating func next() throws(TestError) -> Int? { left.popLast() }

  func end(
    _ completion: Subscribers.Completion<TestError>
  ) -> Subscribers.Completion<TestError> {
    completion
  }
}
