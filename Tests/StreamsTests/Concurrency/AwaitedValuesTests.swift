import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-12: firstValue and allValues", .leakFree)
struct AwaitedValuesTests {
  @Test("firstValue returns the first value and cancels")
  func first() async throws {
    let source = TestPublisher<Int, TestError> { source in
      source.send(4)
      source.send(5)
    }
    #expect(try await source.firstValue == 4)
    #expect(source.cancelCount == 1)
    #expect(source.requests == [.max(1)])
  }

  @Test("firstValue is nil for an empty stream and throws a failure")
  func firstOfNone() async throws {
    #expect(try await Empty<Int, Never>().firstValue == nil)
    await #expect(throws: TestError.second) {
      try await Fail(outputType: Int.self, failure: TestError.second).firstValue
    }
  }

  @Test("allValues returns all values in order, none for an empty stream, or throws a failure")
  func all() async throws {
    #expect(try await (0..<1_000).publisher.allValues == Array(0..<1_000))
    #expect(try await Empty<Int, Never>().allValues.isEmpty)
    let source = TestPublisher<Int, TestError> { source in
      source.send(1)
      source.send(completion: .failure(.first))
    }
    await #expect(throws: TestError.first) { try await source.allValues }
    #expect(source.requests == [.unlimited])
  }

  @Test("C-4: a cancelled task that awaits values throws CancellationError and cancels")
  func cancellation() async {
    for isFirst in [true, false] {
      let subscribed = Latch()
      let source = TestPublisher<Int, Never> { _ in subscribed.fire() }
      let task = Task {
        isFirst ? [try await source.firstValue ?? 0] : try await source.allValues
      }
      await subscribed.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(source.cancelCount == 1)
    }
  }

  @Test("A task that was cancelled before it awaits values does not subscribe")
  func cancelledBefore() async {
    let source = TestPublisher<Int, Never>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.allValues
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.subscriptionCount == 0)
  }

  enum Wait: CaseIterable, Sendable {
    case value, first, all
  }

  @Test(
    "P22: in 10,000 races of the end with a cancel, every task ends exactly once",
    arguments: Wait.allCases)
  func race(wait: Wait) async {
    let good = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<20 {
        group.addTask {
          var good = 0
          for round in 0..<500 where await Self.runRace(wait, round: round) { good += 1 }
          return good
        }
      }
      return await group.reduce(0, +)
    }
    #expect(good == 10_000)
  }

  private static func runRace(_ wait: Wait, round: Int) async -> Bool {
    let subscribed = Latch()
    let source = TestPublisher<Int, TestError> { _ in subscribed.fire() }
    let task = Task {
      switch wait {
      case .value: [try await source.value]
      case .first: [try await source.firstValue ?? -1]
      case .all: try await source.allValues
      }
    }
    await subscribed.wait()
    async let end: Void = finish(source, sending: round)
    task.cancel()
    await end
    switch await task.result {
    case .success(let values): return values == [round] || (wait == .first && values == [-1])
    case .failure(let error): return error is CancellationError || error is TestError
    }
  }

  @concurrent
  private static func finish(_ source: TestPublisher<Int, TestError>, sending value: Int) async {
    source.send(value)
    source.send(completion: value.isMultiple(of: 3) ? .failure(.first) : .finished)
  }
}
