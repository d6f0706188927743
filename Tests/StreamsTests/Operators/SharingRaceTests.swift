import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-11: a subscriber that arrives as a shared connection ends is not lost", .leakFree)
struct SharingRaceTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-11: a subscriber between a subject's end and its notification receives a connection")
  func betweenEndAndNews() {
    let source = TestPublisher<Int, TestError>()
    let connectable = source.makeConnectable()
    let shared = connectable.autoconnect()
    let late = Subscriber()
    // Attached before all others, without being counted: so it hears of the end first.
    let first = connectable.sink(
      receiveCompletion: { _ in shared.subscribe(late) }, receiveValue: { _ in })
    let counted = Subscriber()
    shared.subscribe(counted)
    source.send(completion: .finished)
    #expect(counted.isFinished)
    #expect(source.subscriptionCount == 2)
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(late.kinds == ["subscription", "1", "failure first"])
    first.cancel()
  }

  @Test("C-11: no connection is made for subscribers whose end is on its way")
  func noNeedlessConnection() {
    let source = TestPublisher<Int, TestError>()
    let connectable = source.makeConnectable()
    let shared = connectable.autoconnect()
    let late = Subscriber()
    let first = connectable.sink(
      receiveCompletion: { _ in
        shared.subscribe(late)
        late.cancel()
      }, receiveValue: { _ in })
    shared.subscribe(Subscriber())
    shared.subscribe(Subscriber())
    source.send(completion: .finished)
    #expect(source.subscriptionCount == 2)
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 0)
    first.cancel()
  }

  @Test("C-11: a source that ends as a subscriber receives its subscription ends that one, too")
  func endsInsideSubscription() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share()
    let early = Subscriber()
    shared.subscribe(early)
    let kinds = Recording<String>()
    shared.receive(
      subscriber: AnySubscriber<Int, TestError>(
        receiveSubscription: { subscription in
          source.send(completion: .finished)
          subscription.request(.unlimited)
        },
        receiveValue: { value in
          kinds.add("\(value)")
          return .none
        }, receiveCompletion: { _ in kinds.add("end") }))
    #expect(early.isFinished)
    #expect(kinds.elements == ["end"])
    #expect(source.subscriptionCount == 1)
    let next = Subscriber()
    shared.subscribe(next)
    source.send(2)
    #expect(source.subscriptionCount == 2)
    #expect(next.values == [2])
    next.cancel()
  }

  @Test(
    "C-11: a source that ends inside its subscription ends the subscribers of both threads",
    arguments: Sharing.shares)
  func firstsOfEndingSource(share: Setup<Sharing.Share>) {
    let rounds = 5_000
    let shares = (0..<rounds).map { _ in
      share.make(Just(1).setFailureType(to: TestError.self).any)
    }
    let ended = Tally()
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, _ in
        shares[round].receive(subscriber: listener { _ in ended.add() })
      })
    #expect(ended.count == 2 * rounds)
  }

  @Test(
    "C-11: a subscriber that races with the source's end receives the end or a connection",
    arguments: Sharing.shares)
  func endAgainstSubscription(share: Setup<Sharing.Share>) {
    let rounds = 5_000
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let shares = sources.map { share.make($0.any) }
    let early = (0..<rounds).map { _ in Subscriber() }
    let late = (0..<rounds).map { _ in Subscriber() }
    for round in 0..<rounds { shares[round].subscribe(early[round]) }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        if thread == 0 {
          sources[round].send(completion: .finished)
        } else {
          shares[round].subscribe(late[round])
        }
      })
    #expect(early.allSatisfy { $0.isFinished })
    for (source, late) in zip(sources, late) where !late.isFinished {
      #expect(source.subscriptionCount == 2)
      source.send(1)
      #expect(late.values == [1])
      late.cancel()
    }
    #expect(sources.allSatisfy { $0.subscriberCount == 0 })
  }

  @Test("C-11, P9: retries of two threads through one share reach the source and end")
  func retries() {
    let rounds = 2_000
    let shares = (0..<rounds).map { _ in
      let attempts = Tally()
      return Deferred { () -> IntStream in
        attempts.add() < 4
          ? Fail(outputType: Int.self, failure: TestError.first).any
          : Just(1).setFailureType(to: TestError.self).any
      }.share()
    }
    let ended = Tally()
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, _ in
        shares[round].retry(10).receive(
          subscriber: listener { if case .finished = $0 { ended.add() } })
      })
    #expect(ended.count == 2 * rounds)
  }

  @Test("C-11: a connection made for subscribers that left is not kept for later ones")
  func olderRound() {
    let shared = Box<IntStream>()
    let first = Subscriber()
    let second = Subscriber()
    let connections = Tally()
    let source = TestPublisher<Int, TestError> { _ in
      guard connections.add() == 1 else { return }
      first.cancel()
      shared.value?.subscribe(second)
    }
    shared.set(source.makeConnectable().autoconnect().any)
    shared.value?.subscribe(first)
    #expect(source.subscriptionCount == 2)
    #expect(source.cancelCount == 1)
    source.send(1)
    #expect(second.values == [1])
    second.cancel()
    #expect(source.cancelCount == 2)
    shared.set(nil)
  }

  @Test("C-11: subscribers that come and go on several threads leave no connection behind")
  func comingAndGoing() {
    let rounds = 500
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let shared = sources.map { $0.makeConnectable().autoconnect() }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        for _ in 0...(round + thread) % 3 {
          let subscriber = Subscriber()
          shared[round].subscribe(subscriber)
          subscriber.cancel()
        }
      })
    #expect(sources.allSatisfy { $0.subscriberCount == 0 })
    #expect(sources.allSatisfy { $0.subscriptionCount == $0.cancelCount })
  }

  @Test("C-11: share(replay:): the connection stays when one of two subscribers leaves")
  func countsJoining() {
    let source = TestPublisher<Int, TestError>()
    let shared = source.share(replay: 1)
    let (first, second) = (Subscriber(), Subscriber())
    shared.subscribe(first)
    shared.subscribe(second)
    first.cancel()
    #expect(source.cancelCount == 0)
    source.send(1)
    #expect(second.values == [1])
    second.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test("C-11: share(replay:): a new subscriber makes an earlier timer void, even if it fires")
  func lateReset() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let shared = source.share(
      replay: 1,
      resetOnLastLeaving: .after(.seconds(1), scheduler: UnstoppableTimers(base: scheduler)))
    let (first, second) = (Subscriber(), Subscriber())
    shared.subscribe(first)
    first.cancel()
    shared.subscribe(second)
    scheduler.advance(by: .seconds(2))
    #expect(source.cancelCount == 0)
    source.send(1)
    #expect(second.values == [1])
    second.cancel()
    scheduler.advance(by: .seconds(2))
    #expect(source.cancelCount == 1)
  }

  /// A subscriber that wants everything and tells of the end.
  private func listener(
    onEnd: @escaping @Sendable (Subscribers.Completion<TestError>) -> Void
  ) -> AnySubscriber<Int, TestError> {
    AnySubscriber(
      receiveSubscription: { $0.request(.unlimited) }, receiveValue: { _ in .none },
      receiveCompletion: onEnd)
  }
}
