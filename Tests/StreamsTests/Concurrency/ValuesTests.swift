import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-12: values", .leakFree)
struct ValuesTests {
  @Test("values gives all values of a publisher that waits for demand, with either buffering")
  func all() async throws {
    let publisher = (0..<1_000).publisher
    typealias Buffering = AsyncValues<Publishers.Sequence<Range<Int>, Never>>.Buffering
    for buffering in [Buffering.prefetch(1), .prefetch(7), .prefetch(0), .unbounded] {
      var values: [Int] = []
      for try await value in publisher.values(buffering: buffering) { values.append(value) }
      #expect(values == Array(0..<1_000))
    }
    var values: [Int] = []
    for try await value in publisher.values { values.append(value) }
    #expect(values.count == 1_000)
  }

  @Test("values throws the failure after the values, and returns nil from then on")
  func failure() async throws {
    let source = TestPublisher<Int, TestError> { source in
      source.send(1)
      source.send(completion: .failure(.first))
    }
    var iterator = source.values.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: TestError.first) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test("prefetch requests its number of values ahead, and one more for each value taken")
  func prefetch() async throws {
    let source = TestPublisher<Int, TestError>()
    var iterator = source.values(buffering: .prefetch(3)).makeAsyncIterator()
    #expect(source.requests == [.max(3)])
    for value in 1...3 { #expect(source.send(value) == .none) }
    #expect(try await iterator.next() == 1)
    #expect(source.requests == [.max(3), .max(1)])
    source.send(4)
    for value in 2...4 { #expect(try await iterator.next() == value) }
    source.send(completion: .finished)
    #expect(try await iterator.next() == nil)
    #expect(source.requests.count == 5)
  }

  @Test("prefetch requests at least one value", arguments: [-5, 0, 1])
  func prefetchNothing(count: Int) {
    let source = TestPublisher<Int, TestError>()
    let iterator = source.values(buffering: .prefetch(count)).makeAsyncIterator()
    #expect(source.requests == [.max(1)])
    withExtendedLifetime(iterator) {}
  }

  @Test("P21: values sent between two calls of next are kept up to the prefetch limit")
  func betweenCalls() async throws {
    let subject = PassthroughSubject<Int, TestError>()
    var iterator = subject.values(buffering: .prefetch(4)).makeAsyncIterator()
    subject.send(1)
    #expect(try await iterator.next() == 1)
    for value in 2...5 { subject.send(value) }
    subject.send(completion: .finished)
    for value in 2...5 { #expect(try await iterator.next() == value) }
    #expect(try await iterator.next() == nil)
  }

  @Test("unbounded requests everything and keeps it")
  func unbounded() async throws {
    let source = TestPublisher<Int, TestError>()
    var iterator = source.values(buffering: .unbounded).makeAsyncIterator()
    #expect(source.requests == [.unlimited])
    for value in 0..<2_000 { source.send(value) }
    source.send(completion: .finished)
    for value in 0..<2_000 { #expect(try await iterator.next() == value) }
    #expect(try await iterator.next() == nil)
  }

  @Test("A waiting task receives a value or an end that comes")
  func whileWaiting() async throws {
    let source = TestPublisher<Int, TestError>()
    let iterator = source.values(buffering: .prefetch(1)).makeAsyncIterator()
    let taken = Task { [iterator = Handover(iterator)] in
      var iterator = iterator.value
      var values: [Int] = []
      while let value = try await iterator.next() { values.append(value) }
      return values
    }
    // A value is answered with a request only if the task was waiting for it.
    var sent = 1
    while source.send(sent) != .max(1) {
      sent += 1
      await Task.yield()
    }
    source.send(completion: .finished)
    #expect(try await taken.value == Array(1...sent))
  }

  @Test(
    "An end wakes a waiting task",
    arguments: [Subscribers.Completion<TestError>.finished, .failure(.third)])
  @MainActor
  func endWhileWaiting(end: Subscribers.Completion<TestError>) async throws {
    let source = TestPublisher<Int, TestError>()
    let started = Latch()
    // The task holds the main actor until it waits, so this test continues only then.
    let task = Task { @MainActor in
      var iterator = source.values.makeAsyncIterator()
      started.fire()
      let first: Result<Int?, TestError>
      do throws(TestError) {
        first = .success(try await iterator.next(isolation: MainActor.shared))
      } catch {
        first = .failure(error)
      }
      return (first, try await iterator.next(isolation: MainActor.shared))
    }
    await started.wait()
    // It requests as much as it can keep, and no more until a value is taken.
    #expect(source.requests == [.max(256)])
    source.send(completion: end)
    let (first, second) = try await task.value
    #expect(first == (end == .finished ? .success(nil) : .failure(.third)))
    #expect(second == nil)
  }

  @Test(
    "P22: tasks that share an iterator take turns, and each receives a value or the end",
    arguments: [Subscribers.Completion<TestError>.finished, .failure(.third)])
  @MainActor
  func sharedIterator(end: Subscribers.Completion<TestError>) async throws {
    let source = TestPublisher<Int, TestError>()
    let iterator = source.values.makeAsyncIterator()
    var tasks: [Task<String, Never>] = []
    for _ in 1...4 {
      let started = Latch()
      // The task keeps the main actor until it waits, so that the next one asks after it.
      tasks.append(
        Task { @MainActor in
          var iterator = iterator
          started.fire()
          do throws(TestError) {
            let value = try await iterator.next(isolation: MainActor.shared)
            return value.map(String.init) ?? "nil"
          } catch {
            return "\(error)"
          }
        })
      await started.wait()
    }
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .max(1))
    source.send(completion: end)
    var outcomes: [String] = []
    for task in tasks { outcomes.append(await task.value) }
    #expect(outcomes == ["1", "2", end == .finished ? "nil" : "third", "nil"])
  }

  @Test("P22: a cancel of one waiting task ends the sequence for all that share its iterator")
  @MainActor
  func sharedCancel() async throws {
    let source = TestPublisher<Int, TestError>()
    let iterator = source.values.makeAsyncIterator()
    let tasks = await waitingTasks(3, on: iterator)
    tasks[1].cancel()
    for task in tasks { #expect(try await task.value == nil) }
    #expect(source.cancelCount == 1)
  }

  @Test("Each iteration subscribes anew")
  func anew() async throws {
    let source = TestPublisher<Int, TestError> { $0.send(completion: .finished) }
    let values = source.values
    #expect(source.subscriptionCount == 0)
    for _ in 1...2 { for try await _ in values {} }
    #expect(source.subscriptionCount == 2)
  }

  @Test("Leaving the loop cancels the subscription")
  func leaving() async throws {
    let source = TestPublisher<Int, TestError> { source in
      for value in 1...3 { source.send(value) }
    }
    for try await value in source.values where value == 2 { break }
    #expect(source.cancelCount == 1)
  }

  @Test("C-4: cancelling the waiting task cancels the subscription and ends the sequence")
  func cancelWaiting() async throws {
    let subscribed = Latch()
    let source = TestPublisher<Int, TestError> { _ in subscribed.fire() }
    let task = Task {
      var iterator = source.values.makeAsyncIterator()
      return [try await iterator.next(), try await iterator.next()]
    }
    await subscribed.wait()
    task.cancel()
    #expect(try await task.value == [nil, nil])
    #expect(source.cancelCount == 1)
  }

  @Test("C-4: after a cancel next returns nil, even if values, an end or a failure were waiting")
  func cancelWithWaiting() async throws {
    for end in [Subscribers.Completion<TestError>?.none, .finished, .failure(.first)] {
      let source = TestPublisher<Int, TestError> { source in
        source.send(1)
        if let end { source.send(completion: end) }
      }
      let task = Task {
        var iterator = source.values.makeAsyncIterator()
        withUnsafeCurrentTask { $0?.cancel() }
        return [try await iterator.next(), try await iterator.next()]
      }
      #expect(await task.result.map { $0.compactMap { $0 } }.values == [])
    }
  }

  @Test("Values sent from a thread all arrive in order")
  func thread() async throws {
    let count = 5_000
    let subject = PassthroughSubject<Int, Never>()
    let iterator = subject.values(buffering: .unbounded).makeAsyncIterator()
    let taken = Task { [iterator = Handover(iterator)] in
      var iterator = iterator.value
      var values: [Int] = []
      while let value = await iterator.next() { values.append(value) }
      return values
    }
    Thread {
      for value in 0..<count { subject.send(value) }
      subject.send(completion: .finished)
    }.start()
    #expect(await taken.value == Array(0..<count))
  }

  @Test("P22: in 500 races of values, an end and a cancel, every iteration ends")
  func race() async {
    let ended = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<500 {
        group.addTask {
          let subscribed = Latch()
          let source = TestPublisher<Int, TestError> { _ in subscribed.fire() }
          let task = Task {
            var count = 0
            for try await _ in source.values(buffering: .prefetch(2)) { count += 1 }
            return count
          }
          await subscribed.wait()
          Thread {
            source.send(1)
            source.send(2)
            source.send(completion: .finished)
          }.start()
          task.cancel()
          _ = await task.result
          return true
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(ended == 500)
  }

  @Test("C-15: a violation is dropped and reported")
  func contractViolations() async throws {
    let second = CountingSubscription()
    let source = TestPublisher<Int, TestError>()
    let reported = violations {
      let iterator = source.values.makeAsyncIterator()
      source.sendSubscription(second)
      source.send(completion: .finished, forgetting: false)
      source.send(1)
      source.send(completion: .finished)
      withExtendedLifetime(iterator) {}
    }
    #expect(reported.map(\.rule) == [.secondSubscription, .valueAfterEnd, .secondEnd])
    #expect(second.cancels.count == 1)
  }
}

/// Hands an iterator to the one task that continues with it.
private struct Handover<Value>: @unchecked Sendable {
  // Unchecked because each test gives it away and does not use it again.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension Result {
  /// The success, as far as there is one.
  fileprivate var values: Success? { try? get() }
}

/// Tasks that share an iterator and wait for its next value, in order.
@MainActor
func waitingTasks<Upstream: Publisher>(
  _ count: Int, on iterator: AsyncValues<Upstream>.Iterator
) async -> [Task<Upstream.Output?, any Error>] {
  var tasks: [Task<Upstream.Output?, any Error>] = []
  for _ in 0..<count {
    let started = Latch()
    tasks.append(
      Task { @MainActor in
        var iterator = iterator
        started.fire()
        return try await iterator.next(isolation: MainActor.shared)
      })
    await started.wait()
  }
  return tasks
}
