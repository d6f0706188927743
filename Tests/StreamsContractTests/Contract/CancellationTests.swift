import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-4: cancellation", .leakFree)
struct CancellationTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  static let many = (1...10_000).publisher.setFailureType(to: TestError.self)

  @Test("C-4: after a cancel from inside receive(_:) nothing more arrives", arguments: Stage.all)
  func cancelInside(stage: Stage) {
    let subscriber = Subscriber { subscriber, value in
      if value == 3 { subscriber.cancel() }
      return .unlimited
    }
    stage(Self.many).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.completion == nil)
  }

  @Test("C-4: a cancel inside the last value suppresses the end", arguments: Stage.all)
  func cancelInsideLast(stage: Stage) {
    let subscriber = Subscriber { subscriber, value in
      if value == 3 { subscriber.cancel() }
      return .none
    }
    stage((1...3).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.completion == nil)
  }

  @Test(
    "C-4: after a cancel from inside receive(subscription:) nothing arrives", arguments: Stage.all)
  func cancelInSubscription(stage: Stage) {
    let signals = Recording<String>()
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: { subscription in
        signals.add("subscription")
        subscription.cancel()
        subscription.request(.unlimited)
      },
      receiveValue: { _ in
        signals.add("value")
        return .none
      },
      receiveCompletion: { _ in signals.add("end") })
    stage(Self.many).subscribe(subscriber)
    #expect(signals.elements == ["subscription"])
  }

  @Test("C-4: a cancel at the subscription suppresses the end of a stream without values")
  func cancelBeforeEnd() {
    let streams: [Stage.Stream] = [
      Empty().eraseToAnyPublisher(), Fail(error: .first).eraseToAnyPublisher(),
      Self.many.prefix(0).eraseToAnyPublisher(),
      Result<Int, TestError>.failure(.first).publisher.eraseToAnyPublisher(),
      [Int]().publisher.setFailureType(to: TestError.self).eraseToAnyPublisher(),
    ]
    for stream in streams {
      let ends = Tally()
      stream.subscribe(
        AnySubscriber(
          receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
          receiveCompletion: { _ in ends.add() }))
      #expect(ends.count == 0)
    }
  }

  @Test("C-4: a cancel reaches the source once, however often it is called", arguments: Stage.all)
  func idempotent(stage: Stage) {
    let source = TestPublisher<Int, TestError>()
    let cancellable = stage(source).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    for _ in 1...3 { cancellable.cancel() }
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 0)
  }

  @Test("C-4: 8 threads cancel, and the source sees one cancel", arguments: Stage.all)
  func cancelFromManyThreads(stage: Stage) {
    let rounds = 50
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let cancellables = sources.map { source in
      stage(source).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }
    #expect(raceEnds(threads: 8, rounds: rounds) { round, _ in cancellables[round].cancel() })
    #expect(sources.map(\.cancelCount) == Array(repeating: 1, count: rounds))
  }

  @Test(
    "C-4: 8 threads cancel the subscription itself, and the source sees one cancel",
    arguments: Stage.all.filter(\.hasOwnSubscription))
  func cancelSubscriptionFromManyThreads(stage: Stage) {
    let rounds = 50
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let subscribers = sources.map { source in
      let subscriber = Subscriber()
      stage(source).subscribe(subscriber)
      return subscriber
    }
    #expect(raceEnds(threads: 8, rounds: rounds) { round, _ in subscribers[round].cancel() })
    #expect(sources.map(\.cancelCount) == Array(repeating: 1, count: rounds))
  }

  @Test(
    "C-4: a cancel after the end is not sent upstream",
    arguments: Stage.all.filter(\.hasOwnSubscription))
  func cancelAfterEnd(stage: Stage) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    stage(source).subscribe(subscriber)
    source.send(completion: .finished)
    subscriber.cancel()
    #expect(source.cancelCount == 0)
  }

  @Test("C-4: signals that a source sends after the cancel are ignored", arguments: Stage.all)
  func deafAfterCancel(stage: Stage) {
    let heard = Recording<String>()
    let late = Box<AnySubscriber<Int, TestError>>()
    let source = Handing {
      late.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }
    let cancellable = stage(source).sink(
      receiveCompletion: { _ in heard.add("end") }, receiveValue: { heard.add("\($0)") })
    _ = late.value?.receive(1)
    cancellable.cancel()
    _ = late.value?.receive(2)
    late.value?.receive(completion: .finished)
    late.set(nil)
    #expect(heard.elements == ["1"])
  }

  @Test("C-4: a cancel from inside an operator's closure is final for a sink", arguments: Stage.all)
  func cancelInClosure(stage: Stage) {
    let heard = Recording<String>()
    let cancellable = Box<AnyCancellable>()
    let source = PassthroughSubject<Int, TestError>()
    cancellable.set(
      stage(source, touch: { cancellable.value?.cancel() })
        .sink(receiveCompletion: { _ in heard.add("end") }, receiveValue: { heard.add("\($0)") }))
    source.send(1)
    source.send(completion: .failure(.first))
    switch stage.trigger {
    case .value: #expect(heard.elements == [])
    case .failure: #expect(heard.elements == ["1"])
    case .nothing: #expect(heard.elements == ["1", "end"])
    }
  }

  @Test(
    "C-4: a cancel from inside the closure of a stateful operator is final",
    arguments: Stage.all.filter { $0.hasOwnSubscription && $0.trigger != .nothing })
  func cancelInClosureOfStatefulOperator(stage: Stage) {
    let subscriber = Subscriber()
    let isArmed = Box<Bool>()
    let source = PassthroughSubject<Int, TestError>()
    stage(source, touch: { if isArmed.value != nil { subscriber.cancel() } })
      .subscribe(subscriber)
    isArmed.set(true)
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(subscriber.completion == nil)
    #expect(subscriber.values == (stage.trigger == .value ? [] : [1]))
  }
}
