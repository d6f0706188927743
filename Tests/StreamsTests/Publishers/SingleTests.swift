import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Single", .leakFree)
struct SingleTests {
  typealias Resolve = Single<Int, TestError>.Resolve
  typealias Subscriber = TestSubscriber<Int, TestError>

  /// A Single that a test resolves by hand, and how often its work was begun and stopped.
  struct Work: Sendable {
    let resolve = Box<Resolve>()
    let starts = Tally()
    let stops = Tally()

    var single: Single<Int, TestError> {
      Single { resolve in
        starts.add()
        self.resolve.set(resolve)
        return CallingCancellable { stops.add() }
      }
    }
  }

  @Test("A Single delivers the value of its work, then the end")
  func value() {
    let work = Work()
    let subscriber = Subscriber()
    work.single.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    work.resolve.value?(.success(1))
    work.resolve.value?(.success(2))
    work.resolve.value?(.failure(.first))
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(work.stops.count == 0)
  }

  @Test("A Single of a result delivers a value on demand, a failure at once, to each subscriber")
  func known() {
    let success = Single<Int, TestError>(.success(1))
    let failure = Single<Int, TestError>(.failure(.first))
    for _ in 0..<2 {
      let waiting = Subscriber(demand: .none)
      success.subscribe(waiting)
      #expect(waiting.kinds == ["subscription"])
      waiting.request(.max(1))
      #expect(waiting.kinds == ["subscription", "1", "finished"])
      let failed = Subscriber(demand: .none)
      failure.subscribe(failed)
      #expect(failed.failure == .first)
    }
  }

  @Test("C-3: a value waits for demand, and a failure does not")
  func demand() {
    let work = Work()
    let waiting = Subscriber(demand: .none)
    work.single.subscribe(waiting)
    work.resolve.value?(.success(1))
    work.resolve.value?(.failure(.first))
    #expect(waiting.kinds == ["subscription"])
    waiting.request(.max(1))
    #expect(waiting.kinds == ["subscription", "1", "finished"])
    let failing = Subscriber(demand: .none)
    work.single.subscribe(failing)
    work.resolve.value?(.failure(.second))
    #expect(failing.kinds == ["subscription", "failure second"])
  }

  @Test("C-4: a cancel stops the work once, and nothing arrives")
  func cancel() {
    let work = Work()
    let subscriber = Subscriber()
    work.single.subscribe(subscriber)
    subscriber.cancel()
    subscriber.cancel()
    work.resolve.value?(.success(1))
    #expect(work.stops.count == 1)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-4: a cancel inside receive(subscription:) leaves the work unstarted")
  func cancelFirst() {
    let work = Work()
    work.single.subscribe(
      AnySubscriber<Int, TestError>(
        receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
        receiveCompletion: { _ in }))
    #expect(work.starts.count == 0)
  }

  @Test("C-4: a cancel while the work starts stops it as soon as possible")
  func cancelWhileBeginning() {
    let stops = Tally()
    let subscriber = Subscriber()
    Single<Int, TestError> { resolve in
      subscriber.cancel()
      resolve(.success(1))
      return CallingCancellable { stops.add() }
    }.subscribe(subscriber)
    #expect(stops.count == 1)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("C-4: a cancel inside the value suppresses the end")
  func cancelInValue() {
    let work = Work()
    let subscriber = Subscriber { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    work.single.subscribe(subscriber)
    work.resolve.value?(.success(1))
    #expect(subscriber.kinds == ["subscription", "1"])
  }

  @Test("C-7: the value is released on delivery, even if the subscription is still held")
  func valueRelease() {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    Single<ReleaseProbe, TestError> { resolve in
      resolve(.success(ReleaseProbe { releases.add() }))
      return Subscriptions.empty
    }.subscribe(KeptSubscriber(keeper: keeper, demand: .none))
    #expect(releases.count == 0)
    keeper.subscription?.request(.max(1))
    #expect(releases.count == 1)
  }

  @Test("C-8: a retry runs the work again")
  func retry() {
    let starts = Tally()
    let subscriber = Subscriber()
    Single<Int, TestError> { resolve in
      resolve(starts.add() < 3 ? .failure(.first) : .success(7))
      return AnyCancellable {}
    }.retry(5).subscribe(subscriber)
    #expect(starts.count == 3)
    #expect(subscriber.kinds == ["subscription", "7", "finished"])
  }

  @Test("Two threads resolve and a third cancels, with at most one result, none after the cancel")
  func race() {
    let rounds = 500
    let works = (0..<rounds).map { _ in Work() }
    let subscribers = works.map { work in
      let subscriber = Subscriber()
      work.single.subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        switch thread {
        case 0: works[round].resolve.value?(.success(1))
        case 1: works[round].resolve.value?(.failure(.first))
        default: subscribers[round].cancel()
        }
      })
    for subscriber in subscribers {
      #expect(subscriber.completions.count <= 1)
      #expect(subscriber.overlaps == 0)
    }
  }
}

/// A cancellable that does nothing when it is dropped.
struct CallingCancellable: Cancellable {
  let call: @Sendable () -> Void

  func cancel() {
    call()
  }
}
