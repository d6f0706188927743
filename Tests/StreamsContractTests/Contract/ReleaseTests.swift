import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-7: release", .leakFree)
struct ReleaseTests {
  enum Ending: CaseIterable, Sendable {
    case finish, failure, cancel
  }

  @Test(
    "C-7: closures are released at the end, even if the subscription is still held",
    arguments: Stage.all, Ending.allCases)
  func closures(stage: Stage, ending: Ending) {
    let source = PassthroughSubject<Int, TestError>()
    let keeper = SubscriptionKeeper()
    let probe = subscribed(stage, to: source, keeper: keeper).probe
    source.send(1)
    end(ending, source: source, keeper: keeper)
    #expect(probe.isReleased)
  }

  @Test(
    "C-7: the subscriber is released at the end, even if the subscription is still held",
    arguments: Stage.all, Ending.allCases)
  func subscribers(stage: Stage, ending: Ending) {
    let source = PassthroughSubject<Int, TestError>()
    let keeper = SubscriptionKeeper()
    let subscriber = subscribed(stage, to: source, keeper: keeper).subscriber
    #expect(!subscriber.isReleased)
    source.send(1)
    end(ending, source: source, keeper: keeper)
    #expect(subscriber.isReleased)
  }

  @Test(
    "C-7: the upstream is released at the end, even if the subscription is still held",
    arguments: Stage.all.filter(\.hasOwnSubscription), Ending.allCases)
  func upstreams(stage: Stage, ending: Ending) {
    let keeper = SubscriptionKeeper()
    let upstream: Weak<TestPublisher<Int, TestError>>
    do {
      let source = TestPublisher<Int, TestError>()
      upstream = Weak(source)
      stage(source).subscribe(KeptSubscriber<Int, TestError>(keeper: keeper))
      switch ending {
      case .finish: source.send(completion: .finished)
      case .failure: source.send(completion: .failure(.first))
      case .cancel: keeper.subscription?.cancel()
      }
    }
    #expect(upstream.isReleased)
    #expect(keeper.subscription != nil)
  }

  @Test(
    "C-7: a sink's closures are released at the end, even if the cancellable is still held",
    arguments: Stage.all, Ending.allCases)
  func sinks(stage: Stage, ending: Ending) {
    let source = PassthroughSubject<Int, TestError>()
    let probe: Weak<ReleaseProbe>
    let cancellable: AnyCancellable
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      cancellable = stage(source, touch: { object.touch() }).sink(
        receiveCompletion: { _ in object.touch() }, receiveValue: { _ in object.touch() })
    }
    #expect(!probe.isReleased)
    switch ending {
    case .finish: source.send(completion: .finished)
    case .failure: source.send(completion: .failure(.first))
    case .cancel: cancellable.cancel()
    }
    #expect(probe.isReleased)
    withExtendedLifetime(cancellable) {}
  }

  @Test(
    "C-7: a source that serves demand itself releases its subscriber",
    arguments: SelfServing.all,
    [true, false])
  func sources(source: SelfServing, byCancel: Bool) {
    let keeper = SubscriptionKeeper()
    let subscriber: Weak<KeptSubscriber<Int, TestError>>
    do {
      let object = KeptSubscriber<Int, TestError>(
        keeper: keeper, demand: byCancel ? .none : .unlimited)
      subscriber = Weak(object)
      source.make().subscribe(object)
    }
    if byCancel { keeper.subscription?.cancel() }
    #expect(subscriber.isReleased)
    #expect(keeper.subscription != nil)
  }

  @Test("C-7: a subject releases a subscriber that cancels, even if the subject is still held")
  func subjects() {
    let passthrough = PassthroughSubject<Int, TestError>()
    let current = CurrentValueSubject<Int, TestError>(0)
    for publisher in [passthrough.eraseToAnyPublisher(), current.eraseToAnyPublisher()] {
      let keeper = SubscriptionKeeper()
      let subscriber: Weak<KeptSubscriber<Int, TestError>>
      do {
        let object = KeptSubscriber<Int, TestError>(keeper: keeper)
        subscriber = Weak(object)
        publisher.subscribe(object)
      }
      #expect(!subscriber.isReleased)
      keeper.subscription?.cancel()
      #expect(subscriber.isReleased)
    }
  }

  private func subscribed(
    _ stage: Stage, to source: PassthroughSubject<Int, TestError>, keeper: SubscriptionKeeper
  ) -> (probe: Weak<ReleaseProbe>, subscriber: Weak<KeptSubscriber<Int, TestError>>) {
    let probe = ReleaseProbe()
    let subscriber = KeptSubscriber<Int, TestError>(keeper: keeper)
    stage(source, touch: { probe.touch() }).subscribe(subscriber)
    return (Weak(probe), Weak(subscriber))
  }

  private func end(
    _ ending: Ending, source: PassthroughSubject<Int, TestError>, keeper: SubscriptionKeeper
  ) {
    switch ending {
    case .finish: source.send(completion: .finished)
    case .failure: source.send(completion: .failure(.first))
    case .cancel: keeper.subscription?.cancel()
    }
  }
}

/// A publisher that brings its own values.
struct SelfServing: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () -> Stage.Stream

  static let all: [SelfServing] = [
    SelfServing(testDescription: "Just") {
      Just(1).setFailureType(to: TestError.self).eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Sequence") {
      [1, 2, 3].publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Optional") {
      Optional(1).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Result") {
      Result<Int, TestError>.success(1).publisher.eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Deferred") {
      Deferred { Result<Int, TestError>.success(1).publisher }.eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Future") {
      Future<Int, TestError> { $0(.success(1)) }.eraseToAnyPublisher()
    },
    SelfServing(testDescription: "Single") {
      Single<Int, TestError> { resolve in
        resolve(.success(1))
        return AnyCancellable {}
      }.eraseToAnyPublisher()
    },
  ]
}
