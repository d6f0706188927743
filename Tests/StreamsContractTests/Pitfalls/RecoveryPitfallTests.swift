import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of operators that continue after a failure", .leakFree)
struct RecoveryPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>
  typealias Build =
    @Sendable (IntStream, _ onFailure: @escaping @Sendable () -> Void, _ next: Handing) -> IntStream

  /// Each runs a closure after the failure and subscribes the next publisher then.
  static let recoveries: [Setup<Build>] = [
    Setup("catch") { source, onFailure, next in
      source.catch { _ in
        onFailure()
        return next
      }.any
    },
    Setup("tryCatch") { source, onFailure, next in
      source.tryCatch { _ throws -> Handing in
        onFailure()
        return next
      }.mapError { ($0 as? TestError) ?? .third }.any
    },
    Setup("retry") { source, onFailure, next in
      Attempts(source, onFailure, next).retry(5).any
    },
    Setup("retryOn") { source, onFailure, next in
      source.retryOn(
        { _ in
          onFailure()
          return true
        }, retries: 1, chainedPublisher: next
      ).any
    },
    Setup("retry(backoff:)") { source, onFailure, next in
      source.retry(
        backoff: Publishers.Backoff(maxRetries: 1, baseDelay: .zero, jitter: .none),
        scheduler: .immediate,
        when: { _ in
          onFailure()
          return true
        }, chainedPublisher: next
      ).any
    },
  ]

  enum Moment: CaseIterable, Sendable {
    case inHandler, inSubscribe
  }

  @Test(
    "P-1: a cancel between a failure and the next publisher is final", arguments: recoveries,
    Moment.allCases)
  func cancelBetween(recovery: Setup<Build>, moment: Moment) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    let next = CountingSubscription()
    let starts = Tally()
    recovery.make(
      source.any, { if moment == .inHandler { subscriber.cancel() } },
      Handing { inner in
        starts.add()
        if moment == .inSubscribe { subscriber.cancel() }
        inner.receive(subscription: next)
        _ = inner.receive(7)
        inner.receive(completion: .finished)
      }
    ).subscribe(subscriber)
    source.send(completion: .failure(.first))
    #expect(subscriber.kinds == ["subscription"])
    #expect(next.requests.count == 0)
    #expect(next.cancels.count == starts.count)
    #expect(source.subscriptionCount == 1)
  }

  @Test(
    "P-2: a second failure while the handler of the first runs is ignored", arguments: recoveries)
  func failureInHandler(recovery: Setup<Build>) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    let calls = Tally()
    let reported = violations {
      recovery.make(
        source.any,
        { if calls.add() == 1 { source.send(completion: .failure(.second), forgetting: false) } },
        Handing { inner in
          inner.receive(subscription: Subscriptions.empty)
          inner.receive(completion: .failure(.third))
        }
      ).subscribe(subscriber)
      source.send(completion: .failure(.first), forgetting: false)
    }
    #expect(calls.count == 1)
    #expect(subscriber.completions.count == (source.subscriptionCount == 1 ? 1 : 0))
    #expect(reported.isEmpty || reported.map(\.rule) == [.secondEnd])
    subscriber.cancel()
    source.send(completion: .finished)
  }

  @Test(
    "P-25: the remaining demand goes to the next attempt, neither reset nor doubled",
    arguments: ["retry", "retryOn", "retry(backoff:)", "catch", "append"])
  func demand(name: String) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(5))
    let policy = Publishers.Backoff(maxRetries: 9, baseDelay: .zero, jitter: .none)
    let stream =
      switch name {
      case "retry": source.retry(9).any
      case "retryOn":
        source.retryOn(.first, retries: 9, chainedPublisher: Just(0).append(0, 0)).any
      case "retry(backoff:)": source.retry(backoff: policy, scheduler: .immediate).any
      case "catch":
        source.catch { _ in source.catch { _ in source.catch { _ in source } } }.any
      default: source.append(source).append(source).append(source).any
      }
    stream.subscribe(subscriber)
    for attempt in 0..<3 {
      source.send(attempt)
      source.send(completion: name == "append" ? .finished : .failure(.first))
    }
    #expect(source.requests == [.max(5), .max(4), .max(3), .max(2)])
    #expect(subscriber.values == [0, 1, 2])
    subscriber.cancel()
  }
}

/// The source first; the publisher that hands itself out in further attempts.
private struct Attempts: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let source: IntStream
  let onFailure: @Sendable () -> Void
  let next: Handing
  let count = Tally()

  init(_ source: IntStream, _ onFailure: @escaping @Sendable () -> Void, _ next: Handing) {
    self.source = source
    self.onFailure = onFailure
    self.next = next
  }

  func receive<Downstream: Streams.Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == TestError {
    switch count.add() {
    case 1: source.receive(subscriber: subscriber)
    case 2:
      onFailure()
      next.receive(subscriber: subscriber)
    default:
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: .finished)
    }
  }
}
