import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Timed operators when a timer and a value are due together", .leakFree)
struct TimedInterleavingTests {
  typealias Source = PassthroughSubject<Int, TestError>
  typealias Build =
    @Sendable (AnyPublisher<Int, TestError>, TestScheduler) -> AnyPublisher<Int, TestError>

  /// Sends ten values and the end at times that the scheduler's seed draws, on a grid of the
  /// operator's own time, so that they fall due together with its timer.
  private func play(
    _ scheduler: TestScheduler, ending: Subscribers.Completion<TestError> = .finished,
    demand: Subscribers.Demand = .unlimited, _ build: Build
  ) -> (heard: TestSubscriber<Int, TestError>, sent: [Int: Duration], end: Duration) {
    var generator = SeededGenerator(seed: scheduler.seed ?? 0)
    let source = Source()
    let heard = TestSubscriber<Int, TestError>(demand: demand)
    build(source.eraseToAnyPublisher(), scheduler).subscribe(heard)
    var sent: [Int: Duration] = [:]
    var time = Duration.zero
    for value in 0..<10 {
      time += .milliseconds(10 * Int.random(in: 0...3, using: &generator))
      sent[value] = time
    }
    let next = Box(0)
    for value in 0..<10 {
      // Which of those that are due together comes first is drawn; the values stay in order.
      _ = scheduler.schedule(after: sent[value] ?? .zero) {
        let value = next.value ?? 0
        next.set(value + 1)
        source.send(value)
      }
    }
    _ = scheduler.schedule(after: time + .milliseconds(10)) { source.send(completion: ending) }
    scheduler.run()
    return (heard, sent, time + .milliseconds(10))
  }

  private static let timed: [(String, Build)] = [
    ("debounce", { $0.debounce(for: .milliseconds(20), scheduler: $1).eraseToAnyPublisher() }),
    (
      "throttle, latest",
      {
        $0.throttle(for: .milliseconds(20), scheduler: $1, latest: true).eraseToAnyPublisher()
      }
    ),
    (
      "throttle, first",
      {
        $0.throttle(for: .milliseconds(20), scheduler: $1, latest: false).eraseToAnyPublisher()
      }
    ),
    ("delay", { $0.delay(for: .milliseconds(20), scheduler: $1).eraseToAnyPublisher() }),
    ("receive(on:)", { $0.receive(on: $1).eraseToAnyPublisher() }),
    (
      "collect by time",
      { source, scheduler in
        source.collect(.byTime(scheduler, .milliseconds(20))).flatMap { $0.publisher }
          .eraseToAnyPublisher()
      }
    ),
  ]

  @Test(
    "C-1, C-2: values keep their order, come once, and precede the one end",
    arguments: timed.map(\.0))
  func invariants(name: String) throws {
    let build = try #require(Self.timed.first { $0.0 == name }?.1)
    let losesNothing = ["delay", "receive(on:)", "collect by time"].contains(name)
    try TestScheduler.explore(seeds: 0..<300) { scheduler in
      let heard = play(scheduler, build).heard
      try #require(heard.values == heard.values.sorted())
      try #require(Set(heard.values).count == heard.values.count)
      try #require(heard.isFinished)
      try #require(heard.completions.count == 1)
      try #require(heard.overlaps == 0)
      if losesNothing { try #require(heard.values == Array(0..<10)) }
      if name != "throttle, first" { try #require(heard.values.last == 9) }
      try #require(scheduler.pendingCount == 0)
    }
  }

  @Test("P27: a failure during the quiet time comes at once", arguments: timed.map(\.0))
  func failure(name: String) throws {
    let build = try #require(Self.timed.first { $0.0 == name }?.1)
    try TestScheduler.explore(seeds: 0..<100) { scheduler in
      let time = Box(Duration.zero)
      let (heard, _, end) = play(scheduler, ending: .failure(.first)) { source, scheduler in
        build(source, scheduler).handleEvents(receiveCompletion: { _ in time.set(scheduler.now) })
          .eraseToAnyPublisher()
      }
      try #require(heard.failure == .first)
      if name != "delay" { try #require(time.value == end) }
    }
  }

  @Test("timeout fires only if a gap reaches its time, and a tie with a value may go either way")
  func timeout() throws {
    var outcomes: Set<Bool> = []
    try TestScheduler.explore(seeds: 0..<300) { scheduler in
      let (heard, sent, _) = play(scheduler) { source, scheduler in
        source.timeout(.milliseconds(30), scheduler: scheduler) { TestError.third }
          .eraseToAnyPublisher()
      }
      try #require(heard.completions.count == 1)
      try #require(heard.overlaps == 0)
      try #require(heard.values == Array(0..<heard.values.count))
      let timedOut = heard.failure == .third
      outcomes.insert(timedOut)
      let gaps = (0..<10).map { (sent[$0] ?? .zero) - (sent[$0 - 1] ?? .zero) }
      // A gap is at most as long as the timeout: only a tie can end the stream.
      if !gaps.contains(.milliseconds(30)) { try #require(!timedOut) }
      if !timedOut { try #require(heard.values == Array(0..<10)) }
      try #require(scheduler.pendingCount == 0)
    }
    #expect(outcomes == [true, false], "the seeds bring both outcomes of a tie")
  }

  @Test("retry(backoff:) makes all permitted attempts, whatever else is due")
  func retry() throws {
    try TestScheduler.explore(seeds: 0..<200) { scheduler in
      let attempts = Tally()
      let others = Tally()
      let heard = TestSubscriber<Int, TestError>()
      Deferred {
        attempts.add()
        return Fail(outputType: Int.self, failure: TestError.first).receive(on: scheduler)
      }.retry(
        backoff: Publishers.Backoff(
          maxRetries: 5, baseDelay: .milliseconds(10), maxDelay: .milliseconds(10), jitter: .none),
        scheduler: scheduler
      ).receive(on: scheduler).subscribe(heard)
      for time in 0..<8 {
        _ = scheduler.schedule(after: .milliseconds(10 * time)) { others.add() }
      }
      scheduler.run()
      try #require(attempts.count == 6)
      try #require(others.count == 8)
      try #require(heard.failure == .first)
      try #require(heard.completions.count == 1)
    }
  }

  @Test("buffer drops no more than it must, in any order of work")
  func buffer() throws {
    try TestScheduler.explore(seeds: 0..<300) { scheduler in
      let source = Source()
      let heard = TestSubscriber<Int, TestError>(demand: .none)
      source.buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest).subscribe(heard)
      let model = Box<(waiting: [Int], demand: Int, out: [Int])>(([], 0, []))
      let settle: @Sendable (Int?, Int) -> Void = { value, demand in
        var state = model.value ?? ([], 0, [])
        state.demand += demand
        if let value { state.waiting.append(value) }
        while state.demand > 0, !state.waiting.isEmpty {
          state.demand -= 1
          state.out.append(state.waiting.removeFirst())
        }
        if state.waiting.count > 3 { state.waiting.removeFirst() }
        model.set(state)
      }
      for value in 0..<8 {
        scheduler.schedule {
          settle(value, 0)
          source.send(value)
        }
      }
      for _ in 0..<4 {
        scheduler.schedule {
          settle(nil, 1)
          heard.request(.max(1))
        }
      }
      scheduler.run()
      try #require(heard.values == model.value?.out)
      source.send(completion: .finished)
      heard.request(.unlimited)
      try #require(heard.values == (model.value?.out ?? []) + (model.value?.waiting ?? []))
      try #require(heard.isFinished)
    }
  }
}
