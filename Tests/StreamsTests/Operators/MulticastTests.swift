import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("multicast, makeConnectable and autoconnect", .leakFree)
struct MulticastTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("Nothing comes before connect(), and then all subscribers receive the same")
  func connect() {
    let source = Source()
    let connectable = source.makeConnectable()
    let subscribers = [Subscriber(), Subscriber()]
    for subscriber in subscribers { connectable.subscribe(subscriber) }
    #expect(source.subscriptionCount == 0)
    let connection = connectable.connect()
    #expect(source.requests == [.unlimited])
    source.send(1)
    connection.cancel()
    #expect(source.cancelCount == 1)
    for subscriber in subscribers { #expect(subscriber.values == [1]) }
  }

  @Test("A second connect() returns the existing connection, and makes a new one after a cancel")
  func connectTwice() {
    let source = Source()
    let connectable = source.multicast { PassthroughSubject() }
    let subscriber = Subscriber()
    connectable.subscribe(subscriber)
    let first = connectable.connect()
    let second = connectable.connect()
    #expect(source.subscriptionCount == 1)
    second.cancel()
    first.cancel()
    #expect(source.cancelCount == 1)
    let third = connectable.connect()
    source.send(2)
    #expect(source.subscriptionCount == 2)
    #expect(subscriber.values == [2])
    third.cancel()
  }

  @Test("C-8: the subject is made on first use, and a new one after the end")
  func createsSubjects() {
    let made = Tally()
    let source = Source()
    let connectable = source.multicast { () -> ReplaySubject<Int, TestError> in
      made.add()
      return ReplaySubject(bufferSize: 1)
    }
    #expect(made.count == 0)
    let first = Subscriber()
    connectable.subscribe(first)
    _ = connectable.connect()
    source.send(1)
    source.send(completion: .failure(.first))
    #expect(made.count == 1)
    #expect(first.failure == .first)
    let second = Subscriber()
    connectable.subscribe(second)
    #expect(made.count == 2)
    #expect(second.values.isEmpty)
    let connection = connectable.connect()
    source.send(2)
    #expect(second.values == [2])
    connection.cancel()
  }

  @Test("Subscribers that arrive while the subject is made share one subject")
  func subscribesInside() {
    let stream = Box<Publishers.Multicast<Source, PassthroughSubject<Int, TestError>>>()
    let made = Tally()
    let source = Source()
    let (inside, outside) = (Subscriber(), Subscriber())
    stream.set(
      source.multicast { () -> PassthroughSubject<Int, TestError> in
        if made.add() == 1 { stream.value?.subscribe(inside) }
        return PassthroughSubject()
      })
    stream.value?.subscribe(outside)
    let connection = stream.value?.connect()
    source.send(1)
    #expect(inside.values == [1])
    #expect(outside.values == [1])
    connection?.cancel()
    stream.set(nil)
  }

  @Test("With a custom subject, the subject's end is the end of the stream")
  func ownSubject() {
    let subject = CurrentValueSubject<Int, TestError>(0)
    let source = Source()
    let connectable = source.multicast(subject: subject)
    let subscriber = Subscriber()
    connectable.subscribe(subscriber)
    _ = connectable.connect()
    source.send(1)
    source.send(completion: .finished)
    #expect(subscriber.values == [0, 1])
    #expect(subscriber.isFinished)
    let late = Subscriber()
    connectable.subscribe(late)
    #expect(late.isFinished)
  }

  @Test("After a subject has failed by itself, the next subscriber gets a new one and connects")
  func subjectFails() {
    let source = Source()
    let stream = source.multicast {
      PassthroughSubject<Int, TestError>(inboxSize: 1, whenFull: .customError { .second })
    }.autoconnect()
    let first = Subscriber { _, value in
      if value == 1 { for next in 2...3 { source.send(next) } }
      return .none
    }
    stream.subscribe(first)
    source.send(1)
    #expect(first.values == [1, 2])
    #expect(first.failure == .second)
    #expect(source.cancelCount == 1)
    let next = Subscriber()
    stream.subscribe(next)
    #expect(source.subscriptionCount == 2)
    source.send(4)
    #expect(next.values == [4])
    next.cancel()
  }

  @Test("C-7: a subject that is kept does not hold the publisher that it served")
  func keptSubject() {
    let subject = PassthroughSubject<Int, TestError>()
    weak var served: Publishers.Multicast<Source, PassthroughSubject<Int, TestError>>?
    do {
      let connectable = Source().multicast(subject: subject)
      served = connectable
      connectable.connect().cancel()
    }
    #expect(served == nil)
    withExtendedLifetime(subject) {}
  }

  @Test("autoconnect connects for the first subscriber and disconnects after the last")
  func autoconnect() {
    let source = Source()
    let stream = source.makeConnectable().autoconnect()
    #expect(source.subscriptionCount == 0)
    let subscribers = [Subscriber(), Subscriber()]
    for subscriber in subscribers { stream.subscribe(subscriber) }
    #expect(source.subscriptionCount == 1)
    source.send(1)
    subscribers[0].cancel()
    subscribers[0].cancel()
    #expect(source.cancelCount == 0)
    source.send(2)
    subscribers[1].cancel()
    #expect(source.cancelCount == 1)
    #expect(subscribers.map(\.values) == [[1], [1, 2]])
    let third = Subscriber()
    stream.subscribe(third)
    source.send(3)
    #expect(source.subscriptionCount == 2)
    #expect(third.values == [3])
  }

  @Test("P9, C-11: a retry below autoconnect reaches the source")
  func retry() {
    let attempts = Tally()
    let stream = Deferred {
      attempts.add()
      return Fail(outputType: Int.self, failure: TestError.first)
    }.makeConnectable().autoconnect()
    let subscriber = Subscriber()
    stream.retry(3).subscribe(subscriber)
    #expect(attempts.count == 4)
    #expect(subscriber.failure == .first)
  }

  @Test("P10: a cancel while the connection is being made cancels it as soon as it exists")
  func cancelDuringConnect() {
    let keeper = SubscriptionKeeper()
    let source = Source { _ in keeper.subscription?.cancel() }
    let stream = source.makeConnectable().autoconnect()
    stream.subscribe(KeptSubscriber(keeper: keeper))
    #expect(source.cancelCount == 1)
    #expect(source.subscriberCount == 0)
    let next = Subscriber()
    keeper.keep(Subscriptions.empty)
    stream.subscribe(next)
    source.send(1)
    #expect(next.values == [1])
    #expect(source.subscriptionCount == 2)
  }

  @Test("P10: two threads subscribe first 10⁴ times, and make one connection each time")
  func firstSubscriberRace() {
    let rounds = 10_000
    let sources = (0..<rounds).map { _ in Source() }
    let streams = sources.map { $0.makeConnectable().autoconnect() }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, _ in
        streams[round].subscribe(Subscriber())
      })
    #expect(sources.allSatisfy { $0.subscriptionCount == 1 && $0.subscriberCount == 1 })
  }

  @Test(
    "P10: two threads subscribe and cancel 10⁴ times, with at most one connection, none at the end")
  func comeAndGo() {
    let live = Depth()
    let stream = AnyPublisher(Source { _ in }).handleEvents(
      receiveSubscription: { _ in live.enter() }, receiveCancel: { live.leave() }
    ).makeConnectable().autoconnect()
    #expect(
      raceEnds(threads: 2, rounds: 10_000) { _, _ in
        let subscriber = Subscriber()
        stream.subscribe(subscriber)
        subscriber.cancel()
      })
    #expect(live.count == 1)
    #expect(live.isLevel)
  }

  @Test("autoconnect without counted runs counts a subscriber after an end anew")
  func autoconnectAfterEnd() {
    let connectable = HandConnected()
    let stream = connectable.autoconnect()
    stream.subscribe(Subscriber())
    connectable.source.send(completion: .finished)
    let next = Subscriber()
    stream.subscribe(next)
    #expect(connectable.connections.requests.count == 2)
    next.cancel()
    #expect(connectable.connections.cancels.count == 1)
  }

  @Test("C-11: a subscriber that is attached as the source ends for the others gets a connection")
  func attachedAtEnd() {
    let source = PassthroughSubject<Int, TestError>()
    let connectable = Replacing(first: source)
    let stream = connectable.autoconnect()
    let early = Subscriber()
    stream.subscribe(early)
    connectable.willAttach.set { source.send(completion: .finished) }
    let late = Subscriber()
    stream.subscribe(late)
    #expect(early.isFinished && late.completion == nil)
    #expect(connectable.connections.requests.count == 2)
    late.cancel()
    #expect(connectable.connections.cancels.count == 1)
  }

  @Test("autoconnect with counted runs does not connect for a subscriber late to its run")
  func autoconnectLate() {
    let connectable = HandConnected(run: Box(1))
    let stream = connectable.autoconnect()
    stream.subscribe(Subscriber())
    connectable.source.send(completion: .finished)
    stream.subscribe(Subscriber())
    #expect(connectable.connections.requests.count == 1)
    connectable.run?.set(2)
    let next = Subscriber()
    stream.subscribe(next)
    #expect(connectable.connections.requests.count == 2)
    next.cancel()
    #expect(connectable.connections.cancels.count == 1)
  }

  @Test("C-7: the last subscriber to leave releases the whole chain")
  func releases() throws {
    let source = PassthroughSubject<Int, Never>()
    let probe = Box(ReleaseProbe())
    let weak = Weak(try #require(probe.value))
    let keeper = SubscriptionKeeper()
    if let held = probe.value {
      source.map { value in
        held.touch()
        return value
      }.makeConnectable().autoconnect().subscribe(KeptSubscriber(keeper: keeper))
    }
    probe.set(nil)
    #expect(!weak.isReleased)
    keeper.subscription?.cancel()
    #expect(weak.isReleased)
  }

  /// How many are inside, and how many ever were at once.
  private final class Depth: Sendable {
    private let state = Lock<(now: Int, greatest: Int)>((0, 0))

    var count: Int { state.withLock { $0.greatest } }
    var isLevel: Bool { state.withLock { $0.now == 0 } }

    func enter() { state.withLock { $0 = ($0.now + 1, max($0.greatest, $0.now + 1)) } }
    func leave() { state.withLock { $0.now -= 1 } }
  }

  @Test("The subject receives the upstream's subscription, so a custom one decides the demand")
  func demandOfTheSubject() {
    let source = TestPublisher<Int, TestError>()
    let subject = AskingSubject()
    let connection = source.multicast(subject: subject).connect()
    #expect(source.requests == [.max(2)])
    connection.cancel()
    #expect(source.cancelCount == 1)
  }
}

/// Asks for two values and drops them.
private final class AskingSubject: Subject {
  typealias Output = Int
  typealias Failure = TestError

  func send(_ value: Int) {}
  func send(completion: Subscribers.Completion<TestError>) {}
  func send(subscription: any Subscription) { subscription.request(.max(2)) }
  func receive(subscriber: some Subscriber<Int, TestError>) {}
}

/// Counts its connections, which connect nothing: a test plays the source by hand.
private struct HandConnected: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = TestError

  let source = TestPublisher<Int, TestError>()
  /// As many requests as connections were made.
  let connections = CountingSubscription()
  /// The run of a new subscriber; nil if runs are not counted.
  var run: Box<Int>?

  func connect() -> any Cancellable {
    connections.request(.unlimited)
    return connections
  }

  func receive(subscriber: some Subscriber<Int, TestError>) {
    source.receive(subscriber: subscriber)
  }

  func receive<Downstream: Subscriber>(makeSubscriber: (_ run: Int?) -> Downstream)
  where Downstream.Input == Int, Downstream.Failure == TestError {
    receive(subscriber: makeSubscriber(run?.value))
  }
}

/// A connectable publisher without runs, whose first source ends while a later subscriber is being
/// attached to the next one.
private struct Replacing: ConnectablePublisher {
  typealias Output = Int
  typealias Failure = TestError

  let first: PassthroughSubject<Int, TestError>
  let next = PassthroughSubject<Int, TestError>()
  let connections = CountingSubscription()
  let willAttach = Box<@Sendable () -> Void>(nil)

  func connect() -> any Cancellable {
    connections.request(.unlimited)
    return connections
  }

  func receive(subscriber: some Subscriber<Int, TestError>) {
    guard let end = willAttach.value else { return first.receive(subscriber: subscriber) }
    end()
    next.receive(subscriber: subscriber)
  }
}
