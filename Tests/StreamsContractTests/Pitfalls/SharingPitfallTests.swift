import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of sharing", .leakFree)
struct SharingPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test(
    "P-9: a source that ends inside its subscription serves each subscriber anew",
    arguments: Sharing.shares)
  func synchronousSource(share: Setup<Sharing.Share>) {
    let runs = Tally()
    let shared = share.make(
      Deferred {
        runs.add()
        return finishing(1, 2)
      }.any)
    for number in 1...3 {
      let subscriber = Subscriber()
      shared.subscribe(subscriber)
      #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
      #expect(runs.count == number)
    }
  }

  @Test("P-9: a retry through sharing reaches the source", arguments: Sharing.shares)
  func retry(share: Setup<Sharing.Share>) {
    let attempts = Tally()
    let source = Deferred {
      attempts.add()
      return failing(1)
    }
    #expect(share.make(source.any).retry(3).played() == ["1", "1", "1", "1", "failure first"])
    #expect(attempts.count == 4)
  }

  @Test(
    "P-9: a late subscriber receives the rest of a running source, or a new run after its end",
    arguments: Sharing.shares)
  func lateSubscriber(share: Setup<Sharing.Share>) {
    let source = TestPublisher<Int, TestError>()
    let shared = share.make(source.any)
    let (first, late, after) = (Subscriber(), Subscriber(), Subscriber())
    shared.subscribe(first)
    source.send(1)
    shared.subscribe(late)
    source.send(2)
    source.send(completion: .finished)
    #expect(first.values == [1, 2])
    #expect(late.values.last == 2)
    #expect(late.isFinished)
    #expect(source.subscriptionCount == 1)
    shared.subscribe(after)
    source.send(3)
    #expect(source.subscriptionCount == 2)
    #expect(after.values == [3])
    after.cancel()
    #expect(source.cancelCount == 1)
  }

  @Test(
    "P-10: two threads subscribe first 10⁴ times, with one connection each time and none left",
    arguments: Sharing.shares)
  func firstSubscribers(share: Setup<Sharing.Share>) {
    let rounds = 10_000
    let sources = (0..<rounds).map { _ in TestPublisher<Int, TestError>() }
    let shares = sources.map { share.make($0.any) }
    let subscribers = (0..<rounds).map { _ in [Subscriber(), Subscriber()] }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        shares[round].subscribe(subscribers[round][thread])
      })
    #expect(sources.allSatisfy { $0.subscriptionCount == 1 })
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, thread in
        subscribers[round][thread].cancel()
      })
    #expect(sources.allSatisfy { $0.cancelCount == 1 && $0.subscriberCount == 0 })
  }
}
