import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("asyncMap", .leakFree)
struct AsyncMapTests {
  @Test(
    "In ordered mode, results keep the order of the values, however long each takes",
    arguments: [1, 3, 50])
  func ordered(limit: Int) async throws {
    let results = try await (0..<200).publisher.asyncMap(maxConcurrent: limit) { value in
      for _ in 0..<(value % 7) { await Task.yield() }
      return value
    }.allValues
    #expect(results == Array(0..<200))
  }

  @Test("In unordered mode, each result comes when it is ready")
  func unordered() async throws {
    let second = Latch()
    let results = try await [1, 2].publisher.asyncMap(maxConcurrent: 2, ordered: false) { value in
      if value == 1 { await second.wait() }
      return value
    }.handleEvents(receiveOutput: { if $0 == 2 { second.fire() } }).allValues
    #expect(results == [2, 1])
  }

  @Test(
    "The number of closures that run at a time stays within the limit", arguments: [true, false])
  func limit(ordered: Bool) async throws {
    let depth = Depth()
    let results = try await (0..<100).publisher.asyncMap(maxConcurrent: 3, ordered: ordered) {
      depth.enter()
      await Task.yield()
      depth.leave()
      return $0
    }.allValues
    #expect(results.sorted() == Array(0..<100))
    #expect(depth.count <= 3)
  }

  @Test("By default one closure runs at a time, and results keep their order")
  func defaults() {
    let source = Empty<Int, TestError>()
    let plain = source.asyncMap { $0 }
    let typed = source.tryAsyncMap { (value: Int) async throws(TestError) -> Int in value }
    let untyped = source.tryAsyncMap { (value: Int) async throws -> Int in value }
    let fromNever = Empty<Int, Never>()
      .tryAsyncMap { (value: Int) async throws(TestError) -> Int in value }
    #expect(plain.maxConcurrent == 1 && plain.ordered)
    #expect(typed.maxConcurrent == 1 && typed.ordered)
    #expect(untyped.maxConcurrent == 1 && untyped.ordered)
    #expect(fromNever.maxConcurrent == 1 && fromNever.ordered)
  }

  @Test("A limit below one counts as one", arguments: [1, 0, -3])
  func tooFew(limit: Int) {
    let source = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.asyncMap(maxConcurrent: limit) { $0 }.subscribe(subscriber)
    #expect(source.requests == [.max(1)])
    subscriber.cancel()
  }

  @Test("C-3: each delivered result makes room for one value")
  func oneForOne() async {
    let source = TestPublisher<Int, Never>()
    let second = Latch()
    let subscriber = TestSubscriber<Int, Never> { _, value in
      if value == 2 { second.fire() }
      return .none
    }
    source.asyncMap(maxConcurrent: 2) { $0 }.subscribe(subscriber)
    source.send(1)
    source.send(2)
    await second.wait()
    #expect(Array(source.requests.prefix(2)) == [.max(2), .max(1)])
    subscriber.cancel()
  }

  @Test("C-3: asyncMap runs ahead of demand by at most the limit of closures")
  func demand() async {
    let source = TestPublisher<Int, Never>()
    let done = Recording<Int>()
    let both = Latch()
    let subscriber = TestSubscriber<Int, Never>(demand: .none)
    source.asyncMap(maxConcurrent: 2) { value in
      if done.count == 1 { both.fire() }
      done.add(value)
      return value
    }.subscribe(subscriber)
    #expect(source.requests == [.max(2)])
    source.send(1)
    source.send(2)
    source.send(completion: .finished)
    await both.wait()
    #expect(subscriber.signals.count == 1)
  }

  @Test("An error that a closure throws ends the stream and keeps its type")
  func failure() async {
    let typed = Just(1).setFailureType(to: TestError.self)
      .tryAsyncMap { (_: Int) async throws(TestError) -> Int in throw .second }
    #expect(type(of: typed).Failure.self == TestError.self)
    await #expect(throws: TestError.second) { try await typed.value }
    let fromNever = Just(1).tryAsyncMap { (_: Int) async throws(TestError) -> Int in throw .third }
    #expect(type(of: fromNever).Failure.self == TestError.self)
    await #expect(throws: TestError.third) { try await fromNever.value }
    let untyped = Just(1).setFailureType(to: TestError.self)
      .tryAsyncMap { (_: Int) async throws -> Int in throw OpaqueError(code: 1) }
    await #expect(throws: OpaqueError.self) { try await untyped.value }
  }

  @Test("In ordered mode, a failure follows the results before it and cancels the source")
  func orderedFailure() async {
    let source = TestPublisher<Int, Never>()
    let failed = Latch()
    let ended = Latch()
    let subscriber = TestSubscriber<Int, TestError>()
    source.tryAsyncMap(maxConcurrent: 3) { (value: Int) async throws(TestError) -> Int in
      if value == 2 {
        failed.fire()
        throw .first
      }
      if value == 1 { await failed.wait() }
      return value
    }.handleEvents(receiveCompletion: { _ in ended.fire() }).subscribe(subscriber)
    for value in 1...3 { source.send(value) }
    await ended.wait()
    #expect(source.cancelCount == 1)
    #expect(subscriber.values == [1])
    #expect(subscriber.completions.count <= 1)
  }

  @Test(
    "A closure's error does not wait for demand, and drops the results that do",
    arguments: [true, false])
  func failureWithoutDemand(ordered: Bool) async {
    let source = TestPublisher<Int, Never>()
    let ended = Latch()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    source.tryAsyncMap(maxConcurrent: 2, ordered: ordered) {
      (value: Int) async throws(TestError) -> Int in
      if value == 2 { throw .first }
      return value
    }.handleEvents(receiveCompletion: { _ in ended.fire() }).subscribe(subscriber)
    for value in 1...2 { source.send(value) }
    await ended.wait()
    #expect(source.cancelCount == 1)
    #expect(subscriber.values.isEmpty)
  }

  @Test(
    "C-4: a cancel cancels the tasks, and so does a failure of the upstream",
    .timeLimit(.minutes(10)),
    arguments: [true, false])
  func cancel(isFailure: Bool) async {
    let source = TestPublisher<Int, TestError>()
    let began = (Latch(), Latch())
    let ended = (Latch(), Latch())
    let subscriber = TestSubscriber<Int, TestError>()
    source.asyncMap(maxConcurrent: 2) { value in
      if value == 0 { began.0.fire() } else { began.1.fire() }
      await untilCancelled()
      if value == 0 { ended.0.fire() } else { ended.1.fire() }
      return value
    }.subscribe(subscriber)
    source.send(0)
    source.send(1)
    await began.0.wait()
    await began.1.wait()
    if isFailure { source.send(completion: .failure(.first)) } else { subscriber.cancel() }
    await ended.0.wait()
    await ended.1.wait()
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.failure == (isFailure ? .first : nil))
    #expect(source.cancelCount == (isFailure ? 0 : 1))
  }

  @Test("C-4: a cancel also reaches a task that is just starting", .timeLimit(.minutes(10)))
  func cancelBeginning() async {
    let rounds = 1_000
    let ends = (0..<rounds).map { _ in Latch() }
    let sources = ends.map { _ in TestPublisher<ReleaseProbe, Never>() }
    let subscribers = sources.map { source in
      let subscriber = TestSubscriber<Void, Never>()
      source.asyncMap { probe in
        await untilCancelled()
        probe.touch()
      }.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          sources[round].send(ReleaseProbe { ends[round].fire() })
        } else {
          subscribers[round].cancel()
        }
      })
    for end in ends { await end.wait() }
  }

  @Test("P22: in 10,000 races of results with a cancel, signals arrive one at a time")
  func race() async {
    for round in 0..<10_000 {
      let subscriber = TestSubscriber<Int, Never>()
      (0..<3).publisher.asyncMap(maxConcurrent: 2, ordered: round.isMultiple(of: 2)) { $0 }
        .subscribe(subscriber)
      if round.isMultiple(of: 3) { await Task.yield() }
      subscriber.cancel()
      #expect(subscriber.overlaps == 0)
    }
  }
}
