import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("race", .leakFree)
struct RaceTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("The first input to send a value wins, and the others are cancelled")
  func value() {
    let sources = [Source(), Source(), Source()]
    let subscriber = Subscriber(demand: .max(3))
    sources.raced().subscribe(subscriber)
    for source in sources { #expect(source.requests == [.max(3)]) }
    sources[1].send(1)
    #expect(sources.map(\.cancelCount) == [1, 0, 1])
    sources[0].send(7)
    sources[1].send(2)
    sources[1].send(completion: .finished)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("An end or a failure wins as well")
  func ends() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.race(with: b).subscribe(subscriber)
    b.send(completion: .failure(.second))
    #expect(subscriber.failure == .second)
    #expect(a.cancelCount == 1)
    let second = Subscriber(demand: .none)
    Empty<Int, TestError>().race(with: b).subscribe(second)
    #expect(second.isFinished)
    #expect(b.subscriptionCount == 1)
  }

  @Test("Inputs after an immediate winner are not subscribed, and an empty race finishes")
  func atOnce() {
    let b = TestPublisher<Int, Never>()
    let subscriber = TestSubscriber<Int, Never>()
    Just(1).race(with: b).subscribe(subscriber)
    #expect(subscriber.values == [1])
    #expect(subscriber.isFinished)
    #expect(b.subscriptionCount == 0)
    let none = TestSubscriber<Int, Never>()
    [Just<Int>]().raced().subscribe(none)
    #expect(none.isFinished)
  }

  @Test("C-3: demand goes to all inputs until one has won, then to the winner")
  func demand() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber(demand: .none)
    a.race(with: b).subscribe(subscriber)
    subscriber.request(.max(1))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1)])
    b.send(1)
    subscriber.request(.max(2))
    #expect(a.requests == [.max(1)])
    #expect(b.requests == [.max(1), .max(2)])
  }

  @Test("C-4: a cancel cancels all running inputs, and nothing comes after it")
  func cancel() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.race(with: b).subscribe(subscriber)
    subscriber.cancel()
    a.send(1)
    b.send(completion: .finished)
    #expect(subscriber.signals.count == 1)
    #expect(a.cancelCount == 1)
    #expect(b.cancelCount == 1)
  }

  @Test("C-15: signals of the winner after its end are reported, those of the losers are not")
  func contractViolations() {
    let a = Source()
    let b = Source()
    let subscriber = Subscriber()
    a.race(with: b).subscribe(subscriber)
    let rules = violations {
      a.send(completion: .finished, forgetting: false)
      a.send(1)
      a.send(completion: .finished)
      b.send(2)
    }.map(\.rule)
    #expect(rules == [.valueAfterEnd, .secondEnd])
    #expect(subscriber.isFinished)
  }

  @Test("C-1: of two inputs that send at the same time exactly one wins")
  func threads() {
    let wins = Recording<Bool>()
    let rounds = 2_000
    let sources = (0..<rounds).map { _ in
      [PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>()]
    }
    let subscribers = sources.map { pair in
      let subscriber = TestSubscriber<Int, Never>()
      pair.raced().subscribe(subscriber)
      return subscriber
    }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        sources[round][thread].send(thread)
        sources[round][thread].send(thread)
        sources[round][thread].send(completion: .finished)
      })
    for subscriber in subscribers {
      wins.add(
        subscriber.isFinished && subscriber.overlaps == 0
          && (subscriber.values == [0, 0] || subscriber.values == [1, 1]))
    }
    #expect(!wins.elements.contains(false))
  }
}
