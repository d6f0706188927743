import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Future", .leakFree)
struct FutureTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("P23: the work starts at once, and all subscribers, early or late, receive its one result")
  func promise() {
    let promise = Box<Future<Int, TestError>.Promise>()
    let starts = Tally()
    let future = Future<Int, TestError> { keep in
      starts.add()
      promise.set(keep)
    }
    #expect(starts.count == 1)
    let early = Subscriber()
    let waiting = Subscriber(demand: .none)
    future.subscribe(early)
    future.subscribe(waiting)
    #expect(early.kinds == ["subscription"])
    promise.value?(.success(1))
    promise.value?(.success(2))
    let late = Subscriber()
    future.subscribe(late)
    for subscriber in [early, late] {
      #expect(subscriber.kinds == ["subscription", "1", "finished"])
    }
    #expect(waiting.kinds == ["subscription"])
    waiting.request(.max(1))
    #expect(waiting.kinds == ["subscription", "1", "finished"])
    #expect(starts.count == 1)
  }

  @Test("P23: a retry receives the same failure")
  func retry() {
    let starts = Tally()
    let future = Future<Int, TestError> { keep in
      starts.add()
      keep(.failure(.first))
    }
    let subscriber = Subscriber(demand: .none)
    future.retry(3).subscribe(subscriber)
    #expect(starts.count == 1)
    #expect(subscriber.kinds == ["subscription", "failure first"])
  }

  @Test("C-4: a cancelled subscriber receives nothing and is released, and the others go on")
  func cancel() {
    let promise = Box<Future<Int, TestError>.Promise>()
    let future = Future<Int, TestError> { promise.set($0) }
    let keeper = SubscriptionKeeper()
    let gone: Weak<KeptSubscriber<Int, TestError>>
    do {
      let subscriber = KeptSubscriber<Int, TestError>(keeper: keeper)
      gone = Weak(subscriber)
      future.subscribe(subscriber)
    }
    let staying = Subscriber()
    future.subscribe(staying)
    #expect(!gone.isReleased)
    keeper.subscription?.cancel()
    #expect(gone.isReleased)
    promise.value?(.success(3))
    #expect(staying.values == [3])
  }

  @Test("Waiting subscribers are served in the order in which they came")
  func order() {
    let promise = Box<Future<Int, TestError>.Promise>()
    let future = Future<Int, TestError> { promise.set($0) }
    let order = Recording<Int>()
    let cancellables = (0..<20).map { index in
      future.sink(receiveCompletion: { _ in }, receiveValue: { _ in order.add(index) })
    }
    promise.value?(.success(1))
    #expect(order.elements == Array(0..<20))
    withExtendedLifetime(cancellables) {}
  }

  @Test("Threads that resolve and subscribe at the same time give each subscriber one result")
  func race() {
    let rounds = 300
    let promises = (0..<rounds).map { _ in Box<Future<Int, TestError>.Promise>() }
    let futures = promises.map { promise in Future<Int, TestError> { promise.set($0) } }
    let subscribers = futures.map { _ in Subscriber() }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        switch thread {
        case 0: promises[round].value?(.success(1))
        case 1: promises[round].value?(.failure(.first))
        default: futures[round].subscribe(subscribers[round])
        }
      })
    for subscriber in subscribers {
      #expect(subscriber.completions.count == 1)
      #expect(subscriber.values.isEmpty == (subscriber.failure != nil))
    }
  }
}
