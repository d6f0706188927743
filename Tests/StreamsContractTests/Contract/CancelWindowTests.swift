import Foundation
import Streams
import StreamsFixtures
import StreamsTesting
import Synchronization
import Testing

@Suite("C-4: a cancel during another cancel is final, too", .leakFree)
struct CancelWindowTests {
  typealias Build = @Sendable (IntStream) -> IntStream

  /// Operators that combine several upstreams, all fed by one source.
  static let building: [Setup<Build>] = [
    Setup("merge") { Publishers.MergeMany([$0, $0, $0]).any },
    Setup("merge3") { $0.merge(with: $0, $0).any },
    Setup("zip") { $0.zip($0) { first, _ in first }.any },
    Setup("flatMap") { source in
      (0..<3).publisher.setFailureType(to: TestError.self).flatMap { _ in source }.any
    },
    Setup("share(replay:)") { $0.share(replay: 3).any },
    Setup("buffer") { $0.buffer(size: 9, prefetch: .keepFull, whenFull: .dropOldest).any },
    Setup("append") { $0.append($0).any },
  ]

  @Test(
    "C-4: a cancel from inside a delivery is final while another thread cancels",
    arguments: building)
  func inside(operator: Setup<Build>) {
    let rounds = 2_000
    let late = Tally()
    let trials = (0..<rounds).map { _ in Trial(late: late) }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        let trial = trials[round]
        if thread == 0 {
          `operator`.make((0..<20).publisher.setFailureType(to: TestError.self).any)
            .receive(subscriber: trial.subscriber)
        } else {
          trial.cancelWhenAsked()
        }
      })
    #expect(late.count == 0)
  }

  @Test("C-4: two threads cancel one AnyCancellable, and each cancel is final when it returns")
  func anyCancellable() {
    let rounds = 5_000
    let late = Tally()
    let sinks = (0..<rounds).map { _ in Box<AnyCancellable>() }
    let goes = (0..<rounds).map { _ in Flag() }
    let subjects = (0..<rounds).map { round in
      let subject = PassthroughSubject<Int, Never>()
      let isOver = Flag()
      sinks[round].set(
        subject.sink { _ in
          if isOver.isSet { late.add() }
          goes[round].set()
          sinks[round].value?.cancel()
          isOver.set()
        })
      return subject
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          for value in 0..<5 { subjects[round].send(value) }
        } else {
          goes[round].wait()
          sinks[round].value?.cancel()
        }
      })
    #expect(late.count == 0)
    for sink in sinks { sink.set(nil) }
  }

  @Test("C-4: a cancel during another one returns, and the closure runs once")
  func windowHeldOpen() {
    let closures = Tally()
    let outer = Box<AnyCancellable>()
    // The closure is the window: it runs after the first cancel has begun, and before it has ended.
    outer.set(
      AnyCancellable {
        closures.add()
        outer.value?.cancel()
      })
    outer.value?.cancel()
    outer.value?.cancel()
    #expect(closures.count == 1)
    outer.set(nil)
  }

  @Test("C-4: a cancel during another one also cancels a cancellable that allows repeats")
  func repeated() {
    let outer = Box<AnyCancellable>()
    let counts = Recording<Int>()
    let inner = Box<HeldOpen>()
    let held = HeldOpen {
      outer.value?.cancel()
      counts.add(inner.value?.cancels.count ?? 0)
    }
    inner.set(held)
    outer.set(AnyCancellable(AnyCancellable(held)))
    outer.value?.cancel()
    outer.value?.cancel()
    #expect(counts.elements == [2])
    #expect(held.cancels.count == 2)
    inner.set(nil)
    outer.set(nil)
  }
}

/// A cancellable whose first cancel stays open, so that another cancel can arrive meanwhile.
private final class HeldOpen: RepeatableCancellable {
  let cancels = Tally()
  private let meanwhile: @Sendable () -> Void

  init(meanwhile: @escaping @Sendable () -> Void) {
    self.meanwhile = meanwhile
  }

  func cancel() {
    if cancels.add() == 1 { meanwhile() }
  }
}

/// A subscriber that cancels in its second value, as soon as another thread cancels, too.
private final class Trial: Sendable {
  let late: Tally
  let keeper = SubscriptionKeeper()
  let isAsked = Flag()
  let isOver = Flag()
  let count = Tally()

  init(late: Tally) {
    self.late = late
  }

  var subscriber: AnySubscriber<Int, TestError> {
    AnySubscriber(
      receiveSubscription: { [self] in
        keeper.keep($0)
        $0.request(.max(1))
      },
      receiveValue: { [self] _ in
        if isOver.isSet { late.add() }
        if count.add() == 2 {
          isAsked.set()
          keeper.subscription?.cancel()
          isOver.set()
        }
        return .max(3)
      },
      receiveCompletion: { [self] _ in
        if isOver.isSet { late.add() }
        isAsked.set()
      })
  }

  func cancelWhenAsked() {
    isAsked.wait()
    keeper.subscription?.cancel()
  }
}

private final class Flag: Sendable {
  private let word = Atomic<Bool>(false)

  var isSet: Bool { word.load(ordering: .acquiring) }

  func set() { word.store(true, ordering: .releasing) }

  func wait() {
    var spins = 0
    while !isSet {
      spins += 1
      if spins.isMultiple(of: 1_000) { sched_yield() }
    }
  }
}
