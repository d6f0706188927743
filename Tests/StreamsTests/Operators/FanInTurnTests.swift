import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Several upstreams: their turns and waiting values", .leakFree)
struct FanInTurnTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("switchToLatest: a switch drops the waiting values of the previous child")
  func rowsOfOldChild() {
    let outer = PassthroughSubject<Int, TestError>()
    // No subjects, which would keep a value that is sent from inside a delivery to themselves.
    let children = [Source(), Source()]
    let subscriber = Subscriber { _, value in
      if value == 1 {
        // A delivery is in progress, so this value waits for its end.
        children[0].send(2)
        outer.send(1)
        children[1].send(3)
      }
      return .none
    }
    outer.map { children[$0] }.switchToLatest().subscribe(subscriber)
    outer.send(0)
    children[0].send(1)
    #expect(subscriber.values == [1, 3])
  }

  @Test("C-3, C-15: switchToLatest: waiting values use up demand, so a further one exceeds it")
  func overDemandWithRowsWaiting() {
    let outer = PassthroughSubject<Int, TestError>()
    let child = Source()
    let subscriber = Subscriber(demand: .max(3)) { _, value in
      if value == 1 {
        for extra in 2...4 { child.send(extra) }
      }
      return .none
    }
    let reported = violations {
      outer.map { _ in child }.switchToLatest().subscribe(subscriber)
      outer.send(0)
      child.send(1)
    }
    subscriber.request(.max(5))
    #expect(subscriber.values == [1, 2, 3])
    #expect(reported.map(\.rule) == [.moreThanDemanded])
  }

  @Test("flatMap: an immediate value does not overtake a waiting one")
  func noOvertaking() {
    let rounds = 20_000
    let outers = (0..<rounds).map { _ in PassthroughSubject<Int, Never>() }
    let subscribers = (0..<rounds).map { _ in TestSubscriber<Int, Never>(demand: .none) }
    for (outer, subscriber) in zip(outers, subscribers) {
      outer.flatMap { Just($0) }.subscribe(subscriber)
      outer.send(1)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 { subscribers[round].request(.max(1)) } else { outers[round].send(2) }
      })
    for subscriber in subscribers { subscriber.request(.max(1)) }
    #expect(subscribers.allSatisfy { $0.values == [1, 2] })
  }

  @Test("C-3: merge, zip, flatMap: no single requests follow an unlimited one")
  func askedForAllOnce() {
    for kind in 0..<3 {
      let sources = [Source(), Source()]
      let subscriber = Subscriber(demand: .max(2))
      switch kind {
      case 0: sources[0].merge(with: sources[1]).subscribe(subscriber)
      case 1: sources[0].zip(sources[1]) { first, _ in first }.subscribe(subscriber)
      default:
        sources.publisher.setFailureType(to: TestError.self).flatMap { $0 }.subscribe(subscriber)
      }
      sources[0].send(1)
      subscriber.request(.unlimited)
      let asked = sources.map(\.requests)
      #expect(asked.allSatisfy { $0.last == .unlimited })
      for value in 2..<5 {
        for source in sources { #expect(source.send(value) == .none) }
      }
      // Now nothing of the first waits for the second any more.
      sources[1].send(9)
      subscriber.request(.max(1))
      #expect(sources.map(\.requests) == asked)
      subscriber.cancel()
    }
  }

  @Test("flatMap: a child that waits for a request of one sends it before all are unlimited")
  func oneByOneBeforeAll() {
    let subscriber = Subscriber(demand: .none)
    [10, 20].publisher.setFailureType(to: TestError.self)
      .flatMap { ($0..<$0 + 3).publisher.setFailureType(to: TestError.self) }
      .subscribe(subscriber)
    // While the first value waits, no child receives another request.
    subscriber.request(.unlimited)
    #expect(subscriber.values == [10, 11, 20, 12, 21, 22])
  }

  @Test("merge: an input that waits for a request of one receives an unlimited one at once")
  func allAtOnce() {
    let sources = [Source(), Source()]
    let subscriber = Subscriber(demand: .max(2))
    sources[0].merge(with: sources[1]).subscribe(subscriber)
    for source in sources { source.send(1) }
    subscriber.request(.unlimited)
    #expect(sources.map(\.requests) == [[.max(1), .unlimited], [.max(1), .unlimited]])
  }

  @Test("merge: values sent inside an unlimited request are delivered at once, not kept")
  func noTurnWhileAsking() {
    let subscriber = Subscriber()
    let delivered = Recording<Int>()
    let source = Answering { delivered.add(subscriber.values.count) }
    source.merge(with: source).subscribe(subscriber)
    #expect(delivered.elements == Array(1...6))
    #expect(subscriber.values.count == 6)
  }

  @Test("C-6: withLatestFrom: a replaced sample is released without the lock")
  func displacedSample() {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<Int, TestError>()
        let samples = PassthroughSubject<ReleaseProbe, TestError>()
        let subscriber = Subscriber()
        source.withLatestFrom(samples) { value, _ in value }.subscribe(subscriber)
        for _ in 0..<3 {
          samples.send(
            ReleaseProbe { [weak subscriber] in
              releases.add()
              subscriber?.request(.max(1))
              source.send(1)
            })
        }
        subscriber.cancel()
      })
    #expect(releases.count == 3)
  }
}

/// A publisher that sends three values on an unlimited request, and checks after each.
private struct Answering: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let look: @Sendable () -> Void

  func receive(subscriber: some Subscriber<Int, TestError>) {
    let box = Box(AnySubscriber(subscriber))
    subscriber.receive(
      subscription: Answer { demand in
        guard demand == .unlimited, let downstream = box.value else { return }
        box.set(nil)
        for value in 0..<3 {
          _ = downstream.receive(value)
          look()
        }
        downstream.receive(completion: .finished)
      })
  }

  private struct Answer: Subscription {
    let onRequest: @Sendable (Subscribers.Demand) -> Void

    func request(_ demand: Subscribers.Demand) { onRequest(demand) }
    func cancel() {}
  }
}
