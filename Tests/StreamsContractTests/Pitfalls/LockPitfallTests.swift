import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of locks", .leakFree)
struct LockPitfallTests {
  typealias Build = @Sendable (IntStream, IntStream) -> IntStream

  /// Operators with their own lock, each of which makes one stream of two.
  static let locking: [Setup<Build>] = [
    Setup("merge") { $0.merge(with: $1).any },
    Setup("zip") { $0.zip($1) { first, _ in first }.any },
    Setup("combineLatest") { $0.combineLatest($1) { first, _ in first }.any },
    Setup("withLatestFrom") { $0.withLatestFrom($1) { first, _ in first }.any },
    Setup("race") { $0.race(with: $1).any },
    Setup("flatMap") { first, second in first.flatMap { _ in second }.any },
    Setup("switchToLatest") { first, second in first.map { _ in second }.switchToLatest().any },
    Setup("flatMapLatest") { first, second in first.flatMapLatest { _ in second }.any },
    Setup("flatMapFirst") { first, second in first.flatMapFirst { _ in second }.any },
    Setup("append") { $0.append($1).any },
    Setup("prefix(untilOutputFrom:)") { $0.prefix(untilOutputFrom: $1.filter { $0 < 0 }).any },
    Setup("drop(untilOutputFrom:)") { $0.drop(untilOutputFrom: $1).any },
    Setup("share") { first, _ in first.share().any },
    Setup("share(replay:)") { first, _ in first.share(replay: 2).any },
    Setup("buffer") { first, _ in
      first.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest).any
    },
    Setup("receive(on: .immediate)") { first, _ in first.receive(on: .immediate).any },
    Setup("timeout") { first, _ in first.timeout(.seconds(60), scheduler: .immediate).any },
  ]

  @Test(
    "P-11: no delivery holds a lock, so an app's lock in both orders is no deadlock",
    arguments: locking)
  func inversion(operator: Setup<Build>) {
    let lock = NSRecursiveLock()
    let (first, second) = (
      PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>()
    )
    let heard = Tally()
    let cancellable = `operator`.make(first.any, second.any).sink(
      receiveCompletion: { _ in },
      receiveValue: { _ in
        lock.withLock {}
        heard.add()
      })
    #expect(
      raceEnds(threads: 2, within: 30) { _, thread in
        for value in 0..<300 {
          if thread == 0 {
            lock.withLock { first.send(value) }
          } else {
            first.send(value)
            second.send(value)
          }
        }
      })
    cancellable.cancel()
  }

  @Test("P-11: the replay of a subject holds no lock either", arguments: Sharing.subjects)
  func replayInversion(kind: Setup<Sharing.MakeSubject>) {
    let lock = NSRecursiveLock()
    let subject = kind.make()
    #expect(
      raceEnds(threads: 2, within: 30) { _, thread in
        for value in 0..<300 {
          if thread == 0 {
            lock.withLock {
              let subscriber = TestSubscriber<Int, TestError> { _, _ in
                lock.withLock {}
                return .none
              }
              subject.receive(subscriber: subscriber)
              subscriber.cancel()
            }
          } else {
            subject.send(value)
          }
        }
      })
  }

  @Test("P-12: a value whose release sends and cancels may wait anywhere", arguments: locking)
  func callingBackOnRelease(operator: Setup<Build>) {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<ReleaseProbe, TestError>()
        let trigger = PassthroughSubject<Int, TestError>()
        let subscriber = TestSubscriber<Int, TestError>(demand: .none)
        // The probe waits in the buffer under test's neighbor, and in the slots of the operator.
        let probes = source.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
          .map { probe in
            probe.touch()
            return 1
          }
        `operator`.make(probes.any, trigger.any).subscribe(subscriber)
        for _ in 0..<3 {
          source.send(
            ReleaseProbe { [weak subscriber] in
              releases.add()
              subscriber?.request(.max(1))
              trigger.send(1)
            })
        }
        subscriber.request(.max(1))
        subscriber.cancel()
        source.send(completion: .finished)
      })
    #expect(releases.count == 3)
  }

  @Test("P-12: a closure's release may cancel, send and subscribe", arguments: Stage.all)
  func closureRelease(stage: Stage) {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<Int, TestError>()
        let cancellable = Box<AnyCancellable>()
        do {
          let probe = ReleaseProbe {
            releases.add()
            cancellable.value?.cancel()
            source.send(2)
            source.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
          }
          cancellable.set(
            stage(source, touch: { probe.touch() }).sink(
              receiveCompletion: { _ in probe.touch() }, receiveValue: { _ in probe.touch() }))
        }
        source.send(1)
        cancellable.value?.cancel()
        cancellable.set(nil)
      })
    #expect(releases.count == 1)
  }
}
