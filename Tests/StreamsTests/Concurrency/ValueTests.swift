import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-12: value", .leakFree)
struct ValueTests {
  @Test("value returns the publisher's only value")
  func one() async throws {
    #expect(try await Just(3).value == 3)
    let source = TestPublisher<Int, TestError> { source in
      source.send(4)
      source.send(completion: .finished)
    }
    #expect(try await source.value == 4)
  }

  @Test("value throws the publisher's failure, even after a value")
  func failure() async {
    await #expect(throws: TestError.first) {
      try await Fail(outputType: Int.self, failure: TestError.first).value
    }
    await #expect(throws: TestError.second) {
      try await Just(1).setFailureType(to: TestError.self).append(.second).value
    }
  }

  @Test("value throws noValue if the publisher delivers no value")
  func noValue() async {
    await #expect(throws: SingleValueError.noValue) { try await Empty<Int, Never>().value }
    #expect(SingleValueError.noValue.description.contains("without a value"))
  }

  @Test("value throws moreThanOneValue at a second value and cancels")
  func moreThanOne() async {
    let source = TestPublisher<Int, Never> { source in
      source.send(1)
      source.send(2)
      source.send(3)
    }
    await #expect(throws: SingleValueError.moreThanOneValue) { try await source.value }
    #expect(source.cancelCount == 1)
    #expect(SingleValueError.moreThanOneValue.description.contains("values"))
  }

  @Test("value requests enough to notice a second value of a publisher that waits for demand")
  func moreThanOneOnDemand() async {
    let source = TestPublisher<Int, Never> { source in
      let demand = source.requests.reduce(.none, +)
      source.send(1)
      if demand >= 2 { source.send(2) }
      source.send(completion: .finished)
    }
    await #expect(throws: SingleValueError.moreThanOneValue) { try await source.value }
  }

  @Test("value waits for a value from another thread")
  func later() async throws {
    let source = TestPublisher<Int, Never> { source in
      Thread {
        source.send(5)
        source.send(completion: .finished)
      }.start()
    }
    #expect(try await source.value == 5)
  }

  @Test("C-4: a cancelled task throws CancellationError and cancels the subscription")
  func cancellation() async {
    let subscribed = Latch()
    let source = TestPublisher<Int, Never> { _ in subscribed.fire() }
    let task = Task { try await source.value }
    await subscribed.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.cancelCount == 1)
  }

  @Test("A task that was cancelled before the call does not subscribe")
  func cancelledBefore() async {
    let source = TestPublisher<Int, Never>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await source.value
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.subscriptionCount == 0)
  }

  @Test("A task cancelled from inside the subscribing call throws CancellationError")
  func cancelWhileSubscribing() async {
    let source = TestPublisher<Int, Never> { source in
      withUnsafeCurrentTask { $0?.cancel() }
      source.send(1)
      source.send(completion: .finished)
    }
    let task = Task { try await source.value }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(source.cancelCount == 1)
  }

  @Test("P22: in 2,000 races of the end with a cancel, every task ends exactly once")
  func race() async {
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for round in 0..<2_000 {
        group.addTask {
          let subscribed = Latch()
          let source = TestPublisher<Int, TestError> { _ in subscribed.fire() }
          let task = Task { try await source.value }
          await subscribed.wait()
          async let end: Void = Self.finish(source, sending: round)
          task.cancel()
          await end
          switch await task.result {
          case .success(let value): return value == round
          case .failure(let error): return error is CancellationError || error is TestError
          }
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.count == 2_000)
    #expect(outcomes.allSatisfy { $0 })
  }

  @concurrent
  private static func finish(_ source: TestPublisher<Int, TestError>, sending value: Int) async {
    source.send(value)
    source.send(completion: value.isMultiple(of: 3) ? .failure(.first) : .finished)
  }

  @Test("C-15: values and ends after the end are dropped and reported")
  func contractViolations() async {
    let reported = Recording<ContractViolation.Rule>()
    let observer = ContractViolation.observe { violation in
      if violation.reporter.contains("MarkedForValue") { reported.add(violation.rule) }
    }
    let second = CountingSubscription()
    let source = TestPublisher<MarkedForValue, Never> { source in
      source.sendSubscription(second)
      source.send(MarkedForValue())
      source.send(completion: .finished, forgetting: false)
      source.send(MarkedForValue())
      source.send(completion: .finished)
    }
    _ = try? await source.value
    #expect(reported.elements == [.secondSubscription, .valueAfterEnd, .secondEnd])
    #expect(second.cancels.count == 1)
    observer.cancel()
  }
}

/// Its name is in the reports about one test's streams.
private struct MarkedForValue: Sendable {}
