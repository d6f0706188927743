import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-6: an operator releases its values without its lock", .leakFree)
struct ReleaseUnderLockTests {
  typealias Probes = PassthroughSubject<ReleaseProbe, TestError>
  typealias Build =
    @Sendable (_ source: Probes, _ other: Probes, _ scheduler: any Scheduler)
    -> AnyPublisher<Void, TestError>

  /// Operators that keep values, each fed by one or two subjects.
  static let keeping: [Setup<Build>] = [
    Setup("throttle, latest") { source, _, scheduler in
      source.throttle(for: .seconds(1), scheduler: scheduler, latest: true).void
    },
    Setup("throttle, first") { source, _, scheduler in
      source.throttle(for: .seconds(1), scheduler: scheduler, latest: false).void
    },
    Setup("debounce") { source, _, scheduler in
      source.debounce(for: .seconds(1), scheduler: scheduler).void
    },
    Setup("delay") { source, _, scheduler in
      source.delay(for: .seconds(1), scheduler: scheduler).void
    },
    Setup("timeout") { source, _, scheduler in
      source.timeout(.seconds(9), scheduler: scheduler).void
    },
    Setup("collect by time") { source, _, scheduler in
      source.collect(.byTimeOrCount(scheduler, .seconds(1), 2)).void
    },
    Setup("receive(on:)") { source, _, scheduler in source.receive(on: scheduler).void },
    Setup("buffer, oldest") { source, _, _ in
      source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).void
    },
    Setup("buffer, newest") { source, _, _ in
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).void
    },
    Setup("buffer, error") { source, _, _ in
      source.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { .second }).void
    },
    Setup("merge") { source, other, _ in source.merge(with: other).void },
    Setup("zip") { source, other, _ in source.zip(other).void },
    Setup("combineLatest") { source, other, _ in source.combineLatest(other).void },
    Setup("withLatestFrom") { source, other, _ in source.withLatestFrom(other).void },
    Setup("withLatestFrom, turned") { source, other, _ in other.withLatestFrom(source).void },
    Setup("race") { source, other, _ in source.race(with: other).void },
    Setup("flatMap") { source, _, _ in source.flatMap { Just($0).any }.void },
    Setup("switchToLatest") { source, _, _ in source.map { Just($0).any }.switchToLatest().void },
    Setup("expand") { source, _, _ in
      source.expand { _ in Empty<ReleaseProbe, TestError>() }.void
    },
    Setup("append") { source, other, _ in source.append(other).void },
    Setup("prefix(untilOutputFrom:)") { source, other, _ in
      source.prefix(untilOutputFrom: other.dropFirst(2)).void
    },
    Setup("share(replay:)") { source, _, _ in source.share(replay: 1).void },
    Setup("SingleFlight") { source, _, _ in
      SingleFlight<Int, ReleaseProbe, TestError>().publisher(for: 1) { source }.void
    },
    Setup("CurrentValueSubject") { source, _, _ in
      source.multicast(subject: CurrentValueSubject(ReleaseProbe())).autoconnect().void
    },
    Setup("ReplaySubject") { source, _, _ in
      source.multicast { ReplaySubject(bufferSize: 1) }.autoconnect().void
    },
    Setup("last") { source, _, _ in source.last().void },
    Setup("removeDuplicates") { source, _, _ in source.removeDuplicates { $0 === $1 }.void },
    Setup("asyncMap") { source, _, _ in source.asyncMap(maxConcurrent: 2) { $0 }.void },
  ]

  /// The action of a value's release.
  enum Deed: CaseIterable {
    case request, cancel, send, sendToOther, all
  }

  @Test("C-6: the release of a value may call back in every way", arguments: keeping, Deed.allCases)
  func values(operator: Setup<Build>, deed: Deed) {
    let virtual = TestScheduler()
    let schedulers: [any Scheduler] = [virtual, LateTimers(base: virtual), ImmediateScheduler()]
    for scheduler in schedulers {
      for demand in [Subscribers.Demand.none, .max(1), .unlimited] {
        for end in End.allCases {
          #expect(
            runsOnSmallStack(within: 20) {
              play(`operator`.make, deed, on: scheduler, virtual, demand: demand, end: end)
            })
        }
      }
    }
  }

  enum End: CaseIterable {
    case cancel, finish, fail
  }

  private func play(
    _ make: Build, _ deed: Deed, on scheduler: any Scheduler, _ time: TestScheduler,
    demand: Subscribers.Demand, end: End
  ) {
    let (source, other) = (Probes(), Probes())
    let subscriber = TestSubscriber<Void, TestError>(demand: demand)
    make(source, other, scheduler).subscribe(subscriber)
    let probe: @Sendable () -> ReleaseProbe = {
      ReleaseProbe { [weak subscriber, weak source, weak other] in
        if deed == .send || deed == .all { source?.send(ReleaseProbe()) }
        if deed == .sendToOther || deed == .all { other?.send(ReleaseProbe()) }
        if deed == .request || deed == .all { subscriber?.request(.max(1)) }
        if deed == .cancel || deed == .all { subscriber?.cancel() }
      }
    }
    for step in 0..<6 {
      source.send(probe())
      if step.isMultiple(of: 2) { other.send(probe()) }
      if step == 3 { subscriber.request(.max(1)) }
      time.advance(by: .milliseconds(600))
    }
    switch end {
    case .cancel: subscriber.cancel()
    case .finish:
      source.send(completion: .finished)
      other.send(completion: .finished)
    case .fail: source.send(completion: .failure(.first))
    }
    time.run(limit: 100)
    subscriber.cancel()
  }

  @Test("C-6: the release of a failure may call back")
  func failures() {
    final class Fault: Error {
      let onRelease: @Sendable () -> Void
      init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }
    actor Idle {}
    #expect(
      runsOnSmallStack(within: 20) {
        let source = TestPublisher<Int, any Error>()
        let held = Box<AnyCancellable>()
        held.set(
          source.sink(
            on: Idle(), receiveCompletion: { _, _ in },
            // It continues when its task is cancelled.
            receiveValue: { _, _ in try? await Task.sleep(for: .seconds(600)) }))
        source.send(1)
        // It waits in the queue before the actor, which the cancel locks.
        source.send(completion: .failure(Fault { held.value?.cancel() }))
        held.value?.cancel()
        held.set(nil)
      })
  }

  @Test("C-6: a key of SingleFlight that is released with its run may call back")
  func keys() {
    final class Key: Hashable, Sendable {
      let onRelease: @Sendable () -> Void
      init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
      static func == (lhs: Key, rhs: Key) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    let releases = Tally()
    let early = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let flights = SingleFlight<Key, Int, TestError>()
        // It releases its subscriber, and with it the key of that call.
        let source = Empty<Int, TestError>(completeImmediately: false)
        func join(_ key: Key) -> AnyCancellable {
          flights.publisher(for: key) { source }
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        }
        // The first key is stored. No other object holds it after the first caller has left.
        let first = join(
          Key {
            releases.add()
            flights.publisher(for: Key {}) { Empty<Int, TestError>() }
              .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
          })
        let second = join(Key {})
        first.cancel()
        if releases.count > 0 { early.add() }
        second.cancel()
      })
    #expect(early.count == 0)
    #expect(releases.count == 1)
  }
}

extension Publisher where Failure == TestError {
  /// Without the values, which it releases.
  fileprivate var void: AnyPublisher<Void, TestError> { map { _ in }.eraseToAnyPublisher() }
}

extension Just where Output == ReleaseProbe {
  fileprivate var any: AnyPublisher<ReleaseProbe, TestError> {
    setFailureType(to: TestError.self).eraseToAnyPublisher()
  }
}

/// Timers never ring; work runs at once.
private struct LateTimers: Scheduler {
  let base: TestScheduler

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable { Subscriptions.empty }
}
