import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// The objects other than values (see `ReleaseUnderLockTests`) that the user makes and a pipeline
/// holds.
@Suite("C-6: subscribers, closures and handles are released without a lock, too", .leakFree)
struct ReleaseOfHoldersTests {
  typealias Make = @Sendable (TestScheduler) -> AnyPublisher<Int, TestError>
  typealias Wrap = @Sendable (HoldingSource) -> AnyPublisher<Int, TestError>

  private static let silent = Empty<Int, TestError>(completeImmediately: false)

  /// Publishers that keep their subscribers.
  static let holding: [Setup<Make>] = [
    Setup("an asynchronous sequence") { _ in
      AsyncStream<Int> { _ in }.publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    },
    Setup("Single") { _ in
      Single<Int, TestError> { _ in Subscriptions.empty }.eraseToAnyPublisher()
    },
    Setup("delay") { silent.delay(for: .seconds(1), scheduler: $0).eraseToAnyPublisher() },
    Setup("prefix(untilOutputFrom:)") { _ in
      silent.prefix(untilOutputFrom: silent).eraseToAnyPublisher()
    },
  ]

  @Test("C-6: the release of a subscriber calls back", arguments: holding)
  func subscriber(publisher: Setup<Make>) {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    do {
      let probe = ReleaseProbe {
        keeper.subscription?.request(.max(1))
        keeper.subscription?.cancel()
        releases.add()
      }
      publisher.make(TestScheduler()).subscribe(
        AnySubscriber<Int, TestError>(
          receiveSubscription: { subscription in
            keeper.keep(subscription)
            subscription.request(.max(1))
          },
          receiveValue: { _ in
            probe.touch()
            return .none
          },
          receiveCompletion: { _ in }))
    }
    #expect(releases.count == 0)
    keeper.subscription?.cancel()
    #expect(releases.count == 1)
    keeper.keep(Subscriptions.empty)
  }

  /// Operators that hold the subscription of an upstream that can end alone.
  static let wrapping: [Setup<Wrap>] = [
    Setup("append") { $0.append(silent).eraseToAnyPublisher() },
    Setup("merge") { $0.merge(with: silent).eraseToAnyPublisher() },
    Setup("flatMap") { $0.prepend(1).flatMap { _ in silent }.eraseToAnyPublisher() },
  ]

  @Test("C-6: the release of an upstream's subscription calls back", arguments: wrapping)
  func subscription(operator: Setup<Wrap>) {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    let source = HoldingSource {
      keeper.subscription?.request(.max(1))
      releases.add()
    }
    `operator`.make(source).subscribe(KeptSubscriber(keeper: keeper))
    #expect(releases.count == 0)
    source.finish()
    #expect(releases.count == 1)
    keeper.subscription?.cancel()
    keeper.keep(Subscriptions.empty)
  }

  @Test("C-6: the release of a Single's value without demand calls back")
  func unaskedValue() {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    Single<ReleaseProbe, TestError> { resolve in
      resolve(
        .success(
          ReleaseProbe {
            keeper.subscription?.request(.max(1))
            releases.add()
          }))
      return Subscriptions.empty
    }.subscribe(KeptSubscriber(keeper: keeper, demand: .none))
    #expect(releases.count == 0)
    keeper.subscription?.cancel()
    #expect(releases.count == 1)
    keeper.keep(Subscriptions.empty)
  }

  @Test("C-6: the release of the closure of expand calls back")
  func transform() {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    do {
      let probe = ReleaseProbe {
        keeper.subscription?.cancel()
        releases.add()
      }
      Self.silent.expand { _ in
        probe.touch()
        return Self.silent
      }.subscribe(KeptSubscriber(keeper: keeper))
    }
    #expect(releases.count == 0)
    keeper.subscription?.cancel()
    #expect(releases.count == 1)
    keeper.keep(Subscriptions.empty)
  }

  @Test("C-6: the release of the previous child's waiting values calls back")
  func waitingOfOldChild() {
    let releases = Tally()
    let outer = PassthroughSubject<Int, TestError>()
    let children = (0..<2).map { _ in TestPublisher<ReleaseProbe, TestError>() }
    let subscriber = TestSubscriber<Void, TestError> { subscriber, _ in
      guard subscriber.values.count == 1 else { return .none }
      children[0].send(
        ReleaseProbe { [weak subscriber] in
          subscriber?.request(.max(1))
          releases.add()
        })
      outer.send(1)
      return .none
    }
    outer.map { children[$0] }.switchToLatest().map { _ in }.subscribe(subscriber)
    outer.send(0)
    children[0].send(ReleaseProbe())
    #expect(releases.count == 1)
    #expect(subscriber.values.count == 1)
  }

  @Test("C-6: the release of a fired timer calls back")
  func timer() {
    let releases = Tally()
    let keeper = SubscriptionKeeper()
    let base = TestScheduler()
    let scheduler = HandleTimers(base: base) {
      keeper.subscription?.request(.max(1))
      releases.add()
    }
    let source = PassthroughSubject<Int, TestError>()
    source.debounce(for: .seconds(1), scheduler: scheduler)
      .subscribe(KeptSubscriber(keeper: keeper))
    source.send(1)
    base.advance(by: .seconds(1))
    #expect(releases.count == 1)
    keeper.subscription?.cancel()
    keeper.keep(Subscriptions.empty)
  }

  @Test("C-6: the release of a connection calls back, at its end and after its run")
  func connections() {
    for run in [nil, 1] {
      let releases = Tally()
      let stream = Box<Publishers.Autoconnect<HeldConnections>>()
      let connectable = HeldConnections(run: Box(run)) {
        releases.add()
        if releases.count == 1 { stream.value?.subscribe(TestSubscriber()) }
      }
      stream.set(connectable.autoconnect())
      stream.value?.subscribe(TestSubscriber())
      #expect(releases.count == 0)
      if run == nil {
        connectable.source.send(completion: .finished)
      } else {
        connectable.run.set(2)
        stream.value?.subscribe(TestSubscriber())
      }
      #expect(releases.count == 1)
      stream.set(nil)
    }
  }

  @Test("C-6: the release of assign's object calls back")
  func root() {
    let releases = Tally()
    let held = Box<Subscribers.Assign<Root, Int>>()
    held.set(
      Subscribers.Assign(
        object: Root {
          held.value?.cancel()
          releases.add()
        }, keyPath: \.value))
    held.value?.cancel()
    #expect(releases.count == 1)
    held.set(nil)
  }

  @Test("C-6: the release of a violation observer calls back")
  func observer() {
    let observation: AnyCancellable
    do {
      let probe = ReleaseProbe { ContractViolation.observe { _ in }.cancel() }
      observation = ContractViolation.observe { _ in probe.touch() }
    }
    observation.cancel()
  }
}

/// A source that holds none of the objects it hands out, and ends on request.
final class HoldingSource: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  private let onRelease: @Sendable () -> Void
  private let subscriber = Box<AnySubscriber<Int, TestError>>()

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  func receive(subscriber: some Subscriber<Int, TestError>) {
    self.subscriber.set(AnySubscriber(subscriber))
    subscriber.receive(subscription: Handle(onRelease))
  }

  func finish() {
    let subscriber = subscriber.value
    self.subscriber.set(nil)
    subscriber?.receive(completion: .finished)
  }
}

/// A subscription that reports its release.
private final class Handle: Subscription {
  private let onRelease: @Sendable () -> Void

  init(_ onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}

/// Timers that cannot be cancelled, each with its own handle.
private struct HandleTimers: Scheduler {
  let base: TestScheduler
  let onRelease: @Sendable () -> Void

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    _ = base.schedule(after: delay, action)
    return Handle(onRelease)
  }
}

private struct HeldConnections: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = TestError

  let source = TestPublisher<Int, TestError>()
  let run: Box<Int>
  let onRelease: @Sendable () -> Void

  func connect() -> any Cancellable { Handle(onRelease) }

  func receive(subscriber: some Subscriber<Int, TestError>) {
    source.receive(subscriber: subscriber)
  }

  func receive<Downstream: Subscriber>(makeSubscriber: (_ run: Int?) -> Downstream)
  where Downstream.Input == Int, Downstream.Failure == TestError {
    receive(subscriber: makeSubscriber(run.value))
  }
}

private final class Root: Sendable {
  private let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit { onRelease() }

  var value: Int {
    get { 0 }
    set {}
  }
}
