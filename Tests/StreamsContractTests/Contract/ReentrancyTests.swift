import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-6: no user code runs under a lock", .leakFree)
struct ReentrancyTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-6: an operator's closures may send, request, subscribe and cancel", arguments: Stage.all)
  func closures(stage: Stage) {
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<Int, TestError>()
        let subscriber = Subscriber(demand: .max(3))
        let calls = Tally()
        let stream = Box<Stage.Stream>()
        let whole = stage(source) {
          guard calls.add() <= 8 else { return }
          source.send(9)
          subscriber.request(.max(1))
          stream.value?.subscribe(Subscriber())
          if calls.count > 4 { subscriber.cancel() }
        }
        stream.set(whole)
        whole.subscribe(subscriber)
        source.send(1)
        source.send(2)
        source.send(completion: .failure(.first))
        subscriber.cancel()
        stream.set(nil)
      })
  }

  @Test(
    "C-6: a subscriber may send, request, subscribe and cancel inside its methods",
    arguments: Stage.all)
  func subscribers(stage: Stage) {
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<Int, TestError>()
        let stream = stage(source)
        let subscriber = Subscriber(demand: .max(1)) { subscriber, value in
          if value < 5 { source.send(value + 1) }
          subscriber.request(.max(1))
          stream.subscribe(Subscriber())
          if value == 4 { subscriber.cancel() }
          return .max(1)
        }
        stream.subscribe(subscriber)
        source.send(1)
        source.send(completion: .finished)
      })
  }

  @Test(
    "C-6: a captured object may cancel, request, send and subscribe in its deinit",
    arguments: Stage.all, [true, false])
  func releases(stage: Stage, byCancel: Bool) {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let source = PassthroughSubject<Int, TestError>()
        let other = PassthroughSubject<Int, TestError>()
        let subscriber = Subscriber()
        do {
          let probe = ReleaseProbe {
            releases.add()
            subscriber.request(.max(1))
            subscriber.cancel()
            source.send(7)
            other.send(8)
            source.subscribe(Subscriber())
            source.send(completion: .finished)
          }
          stage(source.merged(with: other), touch: { probe.touch() }).subscribe(subscriber)
        }
        source.send(1)
        if byCancel {
          subscriber.cancel()
        } else {
          source.send(completion: .failure(.first))
        }
      })
    // Operators without closures release the probe as soon as they are set up.
    #expect(releases.count == 1)
  }

  @Test("C-6: a waiting value may call back in its deinit", arguments: Stage.all)
  func waitingValues(stage: Stage) {
    #expect(
      runsOnSmallStack(within: 20) {
        let releases = Tally()
        let source = PassthroughSubject<ReleaseProbe, TestError>()
        let subscriber = TestSubscriber<ReleaseProbe, TestError>(demand: .max(1))
        let stream = stage(Just(1).setFailureType(to: TestError.self)).flatMap { _ in source }
        stream.subscribe(subscriber)
        for _ in 1...3 {
          source.send(
            ReleaseProbe { [weak subscriber] in
              releases.add()
              subscriber?.request(.max(1))
              subscriber?.cancel()
              source.send(completion: .finished)
            })
        }
        subscriber.cancel()
      })
  }

  @Test("C-6: values that wait in receive(on:) may call back when a cancel releases them")
  func waitingHops() {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let scheduler = TestScheduler()
        let source = PassthroughSubject<ReleaseProbe, TestError>()
        let subscriber = TestSubscriber<ReleaseProbe, TestError>()
        source.receive(on: scheduler).subscribe(subscriber)
        for _ in 1...3 {
          source.send(
            ReleaseProbe {
              releases.add()
              subscriber.request(.max(1))
              subscriber.cancel()
              source.send(completion: .finished)
            })
        }
        subscriber.cancel()
        scheduler.run()
        withExtendedLifetime(subscriber) {}
      })
    #expect(releases.count == 3)
  }

  @Test("C-6: a current value may call back when a new one replaces it")
  func displacedValue() {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let subject = Box<CurrentValueSubject<ReleaseProbe?, Never>>()
        let made = CurrentValueSubject<ReleaseProbe?, Never>(
          ReleaseProbe {
            releases.add()
            _ = subject.value?.value
            subject.value?.send(nil)
          })
        subject.set(made)
        made.send(nil)
        made.send(nil)
        subject.set(nil)
      })
    #expect(releases.count == 1)
  }

  @Test("C-6: an object that a cancellable holds may cancel it again in its deinit")
  func cancellables() {
    let releases = Tally()
    #expect(
      runsOnSmallStack(within: 20) {
        let cancellable = Box<AnyCancellable>()
        do {
          let probe = ReleaseProbe {
            releases.add()
            cancellable.value?.cancel()
          }
          cancellable.set(AnyCancellable { probe.touch() })
        }
        cancellable.value?.cancel()
        cancellable.set(nil)
      })
    #expect(releases.count == 1)
  }
}

extension Publisher where Output == Int, Failure == TestError {
  /// The values of both publishers, because operators with two upstreams can deadlock in more ways.
  func merged<Other: Publisher>(with other: Other) -> Stage.Stream
  where Other.Output == Int, Other.Failure == TestError {
    let sources = [eraseToAnyPublisher(), other.eraseToAnyPublisher()]
    return sources.publisher.flatMap { $0 }.eraseToAnyPublisher()
  }
}
