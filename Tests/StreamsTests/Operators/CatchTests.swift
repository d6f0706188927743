import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("catch, tryCatch, replaceError", .leakFree)
struct CatchTests {
  @Test("catch continues with the replacement, which may have another failure type")
  func replaces() {
    let subscriber = TestSubscriber<Int, Never>()
    Just(1).setFailureType(to: TestError.self).append(.second)
      .catch { [$0 == .second ? 2 : 0, 3].publisher }.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "3", "finished"])
  }

  @Test("catch makes no replacement if the stream finishes")
  func finishes() {
    let calls = Tally()
    let subscriber = TestSubscriber<Int, Never>()
    Just(1).setFailureType(to: TestError.self).catch { _ in
      calls.add()
      return Just(2)
    }.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(calls.count == 0)
  }

  @Test("P25: the replacement receives the remaining demand, with the results of receive(_:)")
  func demand() {
    let source = TestPublisher<Int, TestError>()
    let replacement = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(4)) { _, value in
      value == 1 ? .max(3) : .none
    }
    source.catch { _ in replacement }.subscribe(subscriber)
    source.send(1)
    source.send(2)
    source.send(completion: .failure(.first))
    #expect(replacement.requests == [.max(5)])
    subscriber.request(.max(2))
    #expect(replacement.requests == [.max(5), .max(2)])
    replacement.send(completion: .failure(.third))
    #expect(subscriber.failure == .third)
    #expect(replacement.subscriptionCount == 1)
  }

  @Test("P1: after a cancel inside the handler the replacement is neither subscribed nor heard")
  func cancelInHandler() {
    let source = TestPublisher<Int, TestError>()
    let replacement = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.catch { _ in
      subscriber.cancel()
      return replacement
    }.subscribe(subscriber)
    source.send(completion: .failure(.first))
    replacement.send(1)
    replacement.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription"])
    #expect(replacement.requests.isEmpty)
    #expect(replacement.subscriberCount == 0)
  }

  @Test("P1: a cancel inside the replacement's receive(subscriber:) is final")
  func cancelInSubscribing() {
    let subscriber = TestSubscriber<Int, TestError>()
    let subscription = CountingSubscription()
    let stray = Box<AnySubscriber<Int, TestError>>()
    Fail(outputType: Int.self, failure: TestError.first)
      .catch { _ in
        Handing {
          stray.set($0)
          subscriber.cancel()
          $0.receive(subscription: subscription)
        }
      }.subscribe(subscriber)
    _ = stray.value?.receive(1)
    stray.value?.receive(completion: .finished)
    #expect(subscriber.kinds == ["subscription"])
    #expect(subscription.requests.count == 0)
    #expect(subscription.cancels.count == 1)
  }

  @Test("P2: a second failure from the upstream while the handler runs is ignored")
  func failureInHandler() {
    let source = TestPublisher<Int, TestError>()
    let calls = Tally()
    let subscriber = TestSubscriber<Int, Never>()
    source.catch { _ in
      if calls.add() < 3 { source.send(completion: .failure(.second), forgetting: false) }
      return Just(7)
    }.subscribe(subscriber)
    source.send(completion: .failure(.first), forgetting: false)
    #expect(calls.count == 1)
    #expect(subscriber.kinds == ["subscription", "7", "finished"])
    source.send(completion: .finished)
  }

  @Test("C-4: a cancel reaches the running replacement, and not the failed source")
  func cancelReplacement() {
    let source = TestPublisher<Int, TestError>()
    let replacement = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    source.catch { _ in replacement }.subscribe(subscriber)
    source.send(completion: .failure(.first))
    subscriber.cancel()
    subscriber.cancel()
    #expect(replacement.cancelCount == 1)
    #expect(source.cancelCount == 0)
  }

  @Test("tryCatch continues with the replacement")
  func tryCatchReplaces() {
    let subscriber = TestSubscriber<Int, any Error>()
    Fail(outputType: Int.self, failure: TestError.first).tryCatch { _ throws in Just(4) }
      .subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "4", "finished"])
  }

  @Test("tryCatch keeps the handler's error type")
  func tryCatchKeepsType() {
    let source = Fail(outputType: Int.self, failure: TestError.first)
    let failing = source.tryCatch { _ throws(TestError) in
      Fail(outputType: Int.self, failure: TestError.third)
    }
    let thrown = TestSubscriber<Int, TestError>()
    source.tryCatch { _ throws(TestError) -> Just<Int> in throw .second }.subscribe(thrown)
    #expect(thrown.kinds == ["subscription", "failure second"])
    let replaced = TestSubscriber<Int, TestError>()
    failing.subscribe(replaced)
    #expect(replaced.kinds == ["subscription", "failure third"])
  }

  @Test("tryCatch fails with the handler's error, or with the replacement's failure")
  func tryCatchFails() {
    let thrown = TestSubscriber<Int, any Error>()
    Fail(outputType: Int.self, failure: TestError.first)
      .tryCatch { _ throws -> Just<Int> in throw OpaqueError(code: 9) }.subscribe(thrown)
    #expect((thrown.failure as? OpaqueError)?.code == 9)
    let replaced = TestSubscriber<Int, any Error>()
    Fail(outputType: Int.self, failure: TestError.first)
      .tryCatch { _ throws in Fail(outputType: Int.self, failure: TestError.third) }
      .subscribe(replaced)
    #expect(replaced.failure as? TestError == .third)
  }

  @Test("replaceError delivers its value in place of the failure once there is demand")
  func replaceError() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1))
    source.replaceError(with: 9).subscribe(subscriber)
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription", "1"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "1", "9", "finished"])
  }

  @Test("replaceError changes nothing if there is no failure")
  func replaceNoError() {
    let subscriber = TestSubscriber<Int, Never>()
    Just(1).setFailureType(to: TestError.self).replaceError(with: 9).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
  }
}
