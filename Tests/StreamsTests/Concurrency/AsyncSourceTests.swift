import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Publishers of asynchronous closures and sequences", .leakFree)
struct AsyncSourceTests {
  @Test("A Single of an operation runs it anew for each subscription and delivers its value")
  func operation() async throws {
    let runs = Tally()
    let single = Single { runs.add() }
    #expect(runs.count == 0)
    #expect(try await single.value == 1)
    #expect(try await single.value == 2)
    #expect(type(of: single).Failure.self == Never.self)
  }

  @Test("A Single of an operation fails with the error that it throws, and keeps its type")
  func operationFailure() async throws {
    let single = Single { () async throws(TestError) -> Int in throw .second }
    #expect(type(of: single).Failure.self == TestError.self)
    await #expect(throws: TestError.second) { try await single.value }
    let untyped = Single { () async throws -> Int in throw OpaqueError(code: 3) }
    await #expect(throws: OpaqueError.self) { try await untyped.value }
  }

  @Test("C-4: a cancel cancels the operation's task, and nothing arrives afterwards")
  func cancelOperation() async {
    let began = Latch()
    let ended = Latch()
    let subscriber = TestSubscriber<Bool, Never>()
    Single {
      began.fire()
      await untilCancelled()
      ended.fire()
      return true
    }.subscribe(subscriber)
    await began.wait()
    subscriber.cancel()
    await ended.wait()
    #expect(subscriber.signals.count == 1)
  }

  @Test("An asynchronous sequence delivers its elements in order, then the end")
  func sequence() async throws {
    let stream = AsyncStream { continuation in
      for value in 0..<100 { continuation.yield(value) }
      continuation.finish()
    }
    #expect(try await stream.publisher.allValues == Array(0..<100))
  }

  @Test("An asynchronous sequence's failure keeps its type")
  func sequenceFailure() async {
    let source = TestPublisher<Int, TestError> { source in
      source.send(1)
      source.send(completion: .failure(.third))
    }
    let publisher = source.values.publisher
    #expect(type(of: publisher).Failure.self == TestError.self)
    await #expect(throws: TestError.third) { try await publisher.allValues }
  }

  @Test("C-3: elements are pulled only on demand")
  func sequenceDemand() async {
    let pulls = Recording<Int>()
    let arrivals = (0..<3).map { _ in Latch() }
    let counting = CountingElements(pulls: pulls)
    let subscriber = TestSubscriber<Int, Never>(demand: .none) { _, value in
      arrivals[value].fire()
      return .none
    }
    counting.publisher.subscribe(subscriber)
    #expect(pulls.count == 0)
    subscriber.request(.max(1))
    await arrivals[0].wait()
    subscriber.request(.max(2))
    await arrivals[2].wait()
    #expect(pulls.elements == [0, 1, 2])
    subscriber.cancel()
    #expect(subscriber.values == [0, 1, 2])
    #expect(subscriber.completions.isEmpty)
  }

  @Test("C-3: demand that a subscriber returns for an element is served, too")
  func sequenceAnswer() async {
    let pulls = Recording<Int>()
    let last = Latch()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { _, value in
      if value == 3 { last.fire() }
      return value < 3 ? .max(1) : .none
    }
    CountingElements(pulls: pulls).publisher.subscribe(subscriber)
    await last.wait()
    subscriber.cancel()
    #expect(subscriber.values == [0, 1, 2, 3])
    #expect(pulls.elements == [0, 1, 2, 3])
  }

  @Test("C-4: a cancel cancels the task that waits for a sequence's next element")
  func cancelSequence() async {
    let (began, ended) = (Latch(), Latch())
    let subscriber = TestSubscriber<Int, Never>()
    WaitingElements(began: began, ended: ended).publisher.subscribe(subscriber)
    await began.wait()
    subscriber.cancel()
    await ended.wait()
    #expect(subscriber.signals.count == 1)
  }

  @Test("C-7: a cancel releases the subscriber of a sequence that never delivers")
  func sequenceRelease() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let keeper = SubscriptionKeeper()
    let released: Weak<KeptSubscriber<Int, Never>>
    do {
      let subscriber = KeptSubscriber<Int, Never>(keeper: keeper)
      released = Weak(subscriber)
      stream.publisher.subscribe(subscriber)
    }
    #expect(!released.isReleased)
    keeper.subscription?.cancel()
    #expect(released.isReleased)
    continuation.finish()
  }

  @Test(
    "C-4: a cancel also reaches a source's task that is just starting", .timeLimit(.minutes(10)))
  func cancelBeginning() async {
    let rounds = 1_000
    let ends = (0..<rounds).map { _ in Latch() }
    let subscribers = ends.map { end in
      let subscriber = TestSubscriber<Int, Never>(demand: .none)
      HeldElements(probe: ReleaseProbe { end.fire() }).publisher.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          subscribers[round].request(.max(1))
        } else {
          subscribers[round].cancel()
        }
      })
    for end in ends { await end.wait() }
  }

  @Test("P22: in 10,000 races with a cancel and a request, elements stay within the demand")
  func sequenceRace() async {
    for round in 0..<10_000 {
      let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
      CountingElements(pulls: Recording()).publisher.subscribe(subscriber)
      async let more: Void = request(subscriber)
      if round.isMultiple(of: 2) { await Task.yield() }
      subscriber.cancel()
      await more
      let count = subscriber.values.count
      #expect(count <= 3 && subscriber.completions.isEmpty)
    }
  }

  @concurrent
  private func request(_ subscriber: TestSubscriber<Int, Never>) async {
    subscriber.request(.max(2))
  }
}

/// 0, 1, 2 and so on, and a record of what was pulled.
private struct CountingElements: AsyncSequence, Sendable {
  let pulls: Recording<Int>

  func makeAsyncIterator() -> Iterator { Iterator(pulls: pulls) }

  struct Iterator: AsyncIteratorProtocol {
    let pulls: Recording<Int>
    var next = 0

    mutating func next(isolation: isolated (any Actor)?) async throws(Never) -> Int? {
      await Task.yield()
      pulls.add(next)
      defer { next += 1 }
      return next
    }

    mutating func next() async -> Int? { await next(isolation: nil) }
  }
}

/// Waits for its first element until its task is cancelled.
private struct WaitingElements: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let began: Latch
  let ended: Latch

  func makeAsyncIterator() -> Self { self }

  mutating func next(isolation: isolated (any Actor)?) async throws(Never) -> Int? {
    began.fire()
    await untilCancelled()
    ended.fire()
    return nil
  }

  mutating func next() async -> Int? { await next(isolation: nil) }
}

/// Gives nothing until its task is cancelled, and holds a probe as long.
private struct HeldElements: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let probe: ReleaseProbe

  func makeAsyncIterator() -> Self { self }

  mutating func next(isolation: isolated (any Actor)?) async throws(Never) -> Int? {
    await untilCancelled()
    probe.touch()
    return nil
  }

  mutating func next() async -> Int? { await next(isolation: nil) }
}
