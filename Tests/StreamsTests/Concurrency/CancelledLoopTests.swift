import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-12: a loop over values in a cancelled task", .leakFree)
struct CancelledLoopTests {
  /// Takes values in a cancelled task, whose cancel comes after a number of values.
  private func outcome<Failure: Error>(
    of source: TestPublisher<Int, Failure>, takingFirst count: Int = 0
  ) async -> (first: Result<Int?, any Error>, second: Result<Int?, any Error>) {
    await Task {
      var iterator = source.values.makeAsyncIterator()
      for _ in 0..<count { _ = try? await iterator.next() }
      withUnsafeCurrentTask { $0?.cancel() }
      var outcomes: [Result<Int?, any Error>] = []
      for _ in 1...2 {
        do { outcomes.append(.success(try await iterator.next())) } catch {
          outcomes.append(.failure(error))
        }
      }
      return (outcomes[0], outcomes[1])
    }.value
  }

  private func isCancel(_ outcome: Result<Int?, any Error>) -> Bool {
    if case .failure(is CancellationError) = outcome { true } else { false }
  }

  @Test("C-4: it throws CancellationError, without the waiting values, and then ends")
  func cancelled() async throws {
    for end in [Subscribers.Completion<any Error>?.none, .finished, .failure(TestError.first)] {
      let source = TestPublisher<Int, any Error> { source in
        for value in 1...3 { source.send(value) }
        if let end { source.send(completion: end) }
      }
      let (first, second) = await outcome(of: source, takingFirst: 2)
      #expect(isCancel(first))
      #expect(try second.get() == nil)
      #expect(source.cancelCount == (end == nil ? 1 : 0))
    }
  }

  @Test("C-4: a cancel while the task waits for a value throws CancellationError")
  func waiting() async {
    let subscribed = Latch()
    let source = TestPublisher<Int, any Error> { source in
      source.send(1)
      subscribed.fire()
    }
    let task = Task {
      var count = 0
      for try await _ in source.values { count += 1 }
      return count
    }
    await subscribed.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.cancelCount == 1)
  }

  @Test("C-4: tasks that share an iterator all get the CancellationError of one of them")
  @MainActor
  func shared() async throws {
    let source = TestPublisher<Int, any Error>()
    let iterator = source.values.makeAsyncIterator()
    let tasks = await waitingTasks(3, on: iterator)
    tasks[1].cancel()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    var late = iterator
    await #expect(throws: CancellationError.self) { try await late.next() }
    #expect(try await late.next() == nil)
  }

  @Test("A stream that had ended, and whose values were all taken, ends as it did")
  func complete() async throws {
    for end in [Subscribers.Completion<any Error>.finished, .failure(TestError.second)] {
      let source = TestPublisher<Int, any Error> { source in
        source.send(1)
        source.send(completion: end)
      }
      let (first, second) = await outcome(of: source, takingFirst: 1)
      if case .failure = end {
        #expect(throws: TestError.second) { try first.get() }
      } else {
        #expect(try first.get() == nil)
      }
      #expect(try second.get() == nil)
    }
  }

  @Test("A failure type that cannot hold a CancellationError makes the loop end")
  func otherFailures() async throws {
    let (typed, _) = await outcome(of: TestPublisher<Int, TestError> { $0.send(1) })
    #expect(try typed.get() == nil)
    let (never, _) = await outcome(of: TestPublisher<Int, Never> { $0.send(1) })
    #expect(try never.get() == nil)
    let (own, _) = await outcome(of: TestPublisher<Int, CancellationError> { $0.send(1) })
    #expect(isCancel(own))
  }

  @Test("With setFailureType, the loop over a publisher that cannot fail throws, too")
  func failureType() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in Just(1).setFailureType(to: (any Error).self).values {}
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("Leaving the loop throws nothing, and an end in a task that runs is an end")
  func notCancelled() async throws {
    let source = TestPublisher<Int, any Error> { source in
      for value in 1...3 { source.send(value) }
      source.send(completion: .finished)
    }
    for try await value in source.values where value == 2 { break }
    var values: [Int] = []
    for try await value in source.values { values.append(value) }
    #expect(values == [1, 2, 3])
  }

  @Test("A sink on an actor calls nothing after a cancel of its task")
  func actorSink() async throws {
    let source = TestPublisher<Int, any Error>()
    let ends = ValueCount()
    let sink = source.sink(
      on: ends, receiveCompletion: { ends, _ in ends.add() }, receiveValue: { _, _ in })
    sink.cancel()
    source.send(completion: .finished)
    #expect(await ends.count == 0)
  }

  private actor ValueCount {
    private(set) var count = 0
    func add() { count += 1 }
  }
}
