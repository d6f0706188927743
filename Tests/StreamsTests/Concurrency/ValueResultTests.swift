import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-12: result, which keeps the failure's type", .leakFree, .timeLimit(.minutes(10)))
struct ValueResultTests {
  private typealias Outcome = Result<Int, ValueError<TestError>>

  @Test("result is the publisher's only value")
  func one() async throws {
    #expect(try await Just(3).result.get() == 3)
    let source = TestPublisher<Int, TestError> { source in
      source.send(4)
      source.send(completion: .finished)
    }
    #expect(await source.result == .success(4))
  }

  @Test("result has the publisher's failure with its type, even after a value")
  func failure() async {
    let failed: Outcome = await Fail(outputType: Int.self, failure: TestError.first).result
    #expect(failed == .failure(.failure(.first)))
    let late: Outcome = await Just(1).setFailureType(to: TestError.self).append(.second).result
    #expect(late == .failure(.failure(.second)))
    do throws(ValueError<TestError>) {
      _ = try late.get()
    } catch {
      #expect(error == .failure(.second))
    }
  }

  @Test("No value, and a second one, are errors of their own, and a second one cancels")
  func count() async {
    #expect(await Empty<Int, TestError>().result == .failure(.noValue))
    let source = TestPublisher<Int, TestError> { source in
      source.send(1)
      source.send(2)
      source.send(3)
    }
    #expect(await source.result == .failure(.moreThanOneValue))
    #expect(source.cancelCount == 1)
  }

  @Test("result requests two values, one after the other")
  func demand() async {
    let source = TestPublisher<Int, TestError> { source in
      #expect(source.requests == [.max(1)])
      source.send(1)
      source.send(completion: .finished)
    }
    #expect(await source.result == .success(1))
    #expect(source.requests.reduce(.none, +) <= 2)
    let two = await Publishers.Sequence([1, 2, 3]).setFailureType(to: TestError.self).result
    #expect(two == .failure(.moreThanOneValue))
  }

  @Test("result waits for a value from another thread")
  func later() async {
    let source = TestPublisher<Int, TestError> { source in
      Thread {
        source.send(5)
        source.send(completion: .finished)
      }.start()
    }
    #expect(await source.result == .success(5))
  }

  @Test("C-4: a cancelled task gets `cancelled`, before and after the value, and cancels")
  func cancellation() async {
    for sendsValue in [false, true] {
      let subscribed = Latch()
      let source = TestPublisher<Int, TestError> { source in
        if sendsValue { source.send(1) }
        subscribed.fire()
      }
      let task = Task { await source.result }
      await subscribed.wait()
      task.cancel()
      #expect(await task.value == .failure(.cancelled))
      #expect(source.cancelCount == 1)
    }
  }

  @Test("A task that was cancelled before result does not subscribe")
  func cancelledBefore() async {
    let source = TestPublisher<Int, TestError>()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await source.result
    }
    #expect(await task.value == .failure(.cancelled))
    #expect(source.subscriptionCount == 0)
  }

  @Test("P22: in 1,000 races of the end with a cancel, every task has one result")
  func race() async {
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for round in 0..<1_000 {
        group.addTask {
          let subscribed = Latch()
          let source = TestPublisher<Int, TestError> { _ in subscribed.fire() }
          let task = Task { await source.result }
          await subscribed.wait()
          async let end: Void = Self.finish(source, sending: round)
          task.cancel()
          await end
          return [
            .success(round), .failure(.cancelled), .failure(.failure(.first)),
          ].contains(await task.value)
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.count == 1_000)
    #expect(outcomes.allSatisfy { $0 })
  }

  @concurrent
  private static func finish(_ source: TestPublisher<Int, TestError>, sending value: Int) async {
    source.send(value)
    source.send(completion: value.isMultiple(of: 3) ? .failure(.first) : .finished)
  }

  @Test("Each reason has a text, and a failure its own")
  func texts() {
    #expect("\(ValueError<TestError>.failure(.first))" == "\(TestError.first)")
    #expect(ValueError<TestError>.noValue.description.contains("without a value"))
    #expect(ValueError<TestError>.moreThanOneValue.description.contains("values"))
    #expect(ValueError<TestError>.cancelled.description.contains("cancelled"))
  }
}
