import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// Threads that race for one atomic step.
///
/// Each object is cancelled once and released by one.
@Suite("C-13: ownership in races", .leakFree)
struct OwnershipRaceTests {
  typealias Subscriber = TestSubscriber<Int, Never>

  /// A subscription to count and to watch.
  final class Upstream: Subscription {
    let cancels: Tally
    let releases: Tally

    init(cancels: Tally, releases: Tally) {
      self.cancels = cancels
      self.releases = releases
    }

    deinit { releases.add() }

    func request(_ demand: Subscribers.Demand) {}
    func cancel() { cancels.add() }
  }

  @Test(
    "C-4, C-7: a subscription in a race with a cancel and a request is cancelled once and freed")
  func gate() {
    let rounds = 300
    let gates = (0..<rounds).map { _ in UpstreamGate() }
    let cancels = (0..<rounds).map { _ in Tally() }
    let releases = Tally()
    #expect(
      raceEnds(threads: 4, rounds: rounds) { round, thread in
        switch thread {
        case 0:
          let upstream = Upstream(cancels: cancels[round], releases: releases)
          _ = gates[round].admit(upstream, for: Self.self)
        case 1: gates[round].cancel()
        default: while !gates[round].isCancelled { gates[round].subscription.request(.max(1)) }
        }
      })
    #expect(cancels.allSatisfy { $0.count == 1 })
    #expect(releases.count == rounds)
    withExtendedLifetime(gates) {}
  }

  @Test("C-7: an end in a race with requests and a cancel releases the subscription")
  func gateEnds() {
    let rounds = 300
    let gates = (0..<rounds).map { _ in UpstreamGate() }
    let releases = Tally()
    for gate in gates {
      #expect(gate.admit(Upstream(cancels: Tally(), releases: releases), for: Self.self))
    }
    let ends = Tally()
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        switch thread {
        case 0: if gates[round].finish(for: Self.self) { ends.add() }
        case 1: if round.isMultiple(of: 2) { gates[round].cancel() }
        default: while let current = gates[round].current { current.request(.max(1)) }
        }
      })
    #expect(releases.count == rounds)
    #expect(gates.allSatisfy { !$0.isOpen && $0.current == nil })
    #expect((rounds / 2...rounds).contains(ends.count))
  }

  @Test("C-3: requests of two threads are served once, in order, one value at a time")
  func requests() {
    let subscriber = Subscriber(demand: .none)
    (0..<6_000).publisher.subscribe(subscriber)
    #expect(
      raceEnds(threads: 2, rounds: 1_000) { _, _ in
        for _ in 0..<3 { subscriber.request(.max(1)) }
      })
    #expect(subscriber.values == Array(0..<6_000))
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-3: a request from another thread during the subscription of a sequence is served once")
  func handOver() {
    let rounds = 1_000
    let subscribers = (0..<rounds).map { _ in Subscriber(demand: .none) }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        let subscriber = subscribers[round]
        let count = 1 + round % 3
        if thread == 0 {
          (0..<count).publisher.subscribe(subscriber)
        } else {
          while subscriber.requests.isEmpty {}
          for _ in 0..<count { subscriber.request(.max(1)) }
        }
      })
    #expect(
      subscribers.enumerated().allSatisfy { round, subscriber in
        subscriber.values == Array(0..<(1 + round % 3)) && subscriber.isFinished
      })
    #expect(subscribers.allSatisfy { $0.overlaps == 0 })
  }

  @Test("C-7: a sequence cancelled during a request releases its subscriber", arguments: [1, 5])
  func sequences(count: Int) {
    let rounds = 2_000
    let keepers = (0..<rounds).map { _ in SubscriptionKeeper() }
    let subscribers = keepers.map { keeper in
      let subscriber = KeptSubscriber<Int, Never>(keeper: keeper, demand: .none)
      if count == 1 {
        Just(1).subscribe(subscriber)
      } else {
        (0..<count).publisher.subscribe(subscriber)
      }
      return Weak(subscriber)
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          keepers[round].subscription?.request(.max(2))
        } else {
          keepers[round].subscription?.cancel()
        }
      })
    #expect(subscribers.allSatisfy { $0.isReleased })
  }

  @Test("C-7: values on their way to a scheduler are released in a race with a cancel")
  func hops() {
    let rounds = 1_000
    let values = Tally()
    let closures = Tally()
    let schedulers = (0..<rounds).map { _ in TestScheduler() }
    let sources = (0..<rounds).map { _ in PassthroughSubject<ReleaseProbe, Never>() }
    let held = (0..<rounds).map { round in
      let probe = ReleaseProbe { closures.add() }
      return sources[round].receive(on: schedulers[round]).sink { _ in probe.touch() }
    }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        switch thread {
        case 0:
          for _ in 0..<6 { sources[round].send(ReleaseProbe { values.add() }) }
          sources[round].send(completion: .finished)
        case 1: schedulers[round].run()
        default: held[round].cancel()
        }
      })
    // Jobs that did not run are with their schedulers still, and hold them.
    #expect(values.count == rounds * 6)
    #expect(closures.count == rounds)
    for scheduler in schedulers { scheduler.run() }
  }

  @Test("C-7: a value that is queued as the cancel comes is released")
  func hopMeetsCancel() {
    let rounds = 200
    let sent = Tally()
    let released = Tally()
    let isCancelled = (0..<rounds).map { _ in Box(false) }
    let schedulers = (0..<rounds).map { _ in TestScheduler() }
    let sources = (0..<rounds).map { _ in PassthroughSubject<ReleaseProbe, Never>() }
    let held = (0..<rounds).map { sources[$0].receive(on: schedulers[$0]).sink { _ in } }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for _ in 0..<1_000 where isCancelled[round].value == false {
            sources[round].send(ReleaseProbe { released.add() })
            sent.add()
          }
        } else {
          held[round].cancel()
          isCancelled[round].set(true)
        }
      })
    #expect(released.count == sent.count)
    for scheduler in schedulers { scheduler.run() }
  }

  @Test("C-4: the closure runs once and is released when several threads cancel")
  func cancellable() {
    let rounds = 2_000
    let runs = Tally()
    let releases = Tally()
    let cancellables = (0..<rounds).map { _ in
      let probe = ReleaseProbe { releases.add() }
      return AnyCancellable {
        probe.touch()
        runs.add()
      }
    }
    #expect(raceEnds(threads: 3, rounds: rounds) { round, _ in cancellables[round].cancel() })
    #expect(runs.count == rounds)
    #expect(releases.count == rounds)
  }
}
