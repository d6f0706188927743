import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-11: share(replay:)", .leakFree)
struct ShareReplayTests {
  typealias Source = TestPublisher<Int, TestError>
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("Late subscribers receive the last values over the one connection")
  func replays() {
    let source = Source()
    let shared = source.share(replay: 2)
    let early = shared.recorded()
    for value in 1...3 { source.send(value) }
    let late = shared.recorded()
    source.send(4)
    source.send(completion: .finished)
    #expect(early.values == [1, 2, 3, 4])
    #expect(late.values == [2, 3, 4])
    #expect(late.isFinished)
    #expect(source.subscriptionCount == 1)
  }

  @Test("By default an end clears the replay, and the next subscriber connects anew")
  func defaults() {
    let source = Source()
    let shared = source.share(replay: 1)
    _ = shared.recorded()
    source.send(1)
    source.send(completion: .finished)
    #expect(shared.recorded().values.isEmpty)
    #expect(source.subscriptionCount == 2)
    source.send(completion: .failure(.first))
    #expect(shared.recorded().failure == nil)
    #expect(source.subscriptionCount == 3)
  }

  @Test("With resetOnFinish .never, late subscribers receive the replay and the end")
  func neverOnFinish() {
    let source = Source()
    let shared = source.share(replay: 1, resetOnFinish: .never)
    _ = shared.recorded()
    source.send(1)
    source.send(completion: .finished)
    for _ in 0..<2 {
      let late = shared.recorded()
      #expect(late.values == [1])
      #expect(late.isFinished)
      late.cancel()
    }
    #expect(source.subscriptionCount == 1)
  }

  @Test("Finish and failure have separate rules, and a kept failure goes to all subscribers")
  func neverOnFailure() {
    let source = Source()
    let shared = source.share(replay: 1, resetOnFailure: .never)
    _ = shared.recorded()
    source.send(completion: .failure(.second))
    #expect(shared.recorded().failure == .second)
    #expect(source.subscriptionCount == 1)
  }

  @Test(
    "A time to live keeps the replay after the end until it passes, then subscribers connect anew")
  func timeToLive() {
    let scheduler = TestScheduler()
    let source = Source()
    let shared = source.share(
      replay: 1, resetOnFinish: .after(.seconds(60), scheduler: scheduler))
    _ = shared.recorded()
    source.send(1)
    source.send(completion: .finished)
    scheduler.advance(by: .seconds(59))
    let late = shared.recorded()
    #expect(late.values == [1])
    scheduler.advance(by: .seconds(1))
    #expect(shared.recorded().values.isEmpty)
    #expect(source.subscriptionCount == 2)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("The last subscriber to leave cancels at once, never, or after a time without subscribers")
  func lastLeaving() {
    let scheduler = TestScheduler()
    let source = Source()
    let atOnce = source.share(replay: 0)
    atOnce.recorded().cancel()
    #expect(source.cancelCount == 1)
    let never = source.share(replay: 1, resetOnLastLeaving: .never)
    never.recorded().cancel()
    source.send(5)
    #expect(never.recorded().values == [5])
    #expect(source.cancelCount == 1)
    source.send(completion: .finished)
    let later = source.share(
      replay: 0, resetOnLastLeaving: .after(.seconds(10), scheduler: scheduler))
    later.recorded().cancel()
    scheduler.advance(by: .seconds(9))
    let second = later.recorded()
    scheduler.advance(by: .seconds(9))
    #expect(source.cancelCount == 1)
    #expect(source.subscriptionCount == 3)
    second.cancel()
    scheduler.advance(by: .seconds(10))
    #expect(source.cancelCount == 2)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("The timer after the last subscriber does not outlive the end of the stream")
  func endWhileWaiting() {
    let scheduler = TestScheduler()
    let source = Source()
    let shared = source.share(
      replay: 1, resetOnFinish: .never,
      resetOnLastLeaving: .after(.seconds(10), scheduler: scheduler))
    shared.recorded().cancel()
    source.send(1)
    source.send(completion: .finished)
    scheduler.advance(by: .seconds(20))
    #expect(shared.recorded().values == [1])
    #expect(source.subscriptionCount == 1)
  }

  @Test("P9: a retry below share(replay:) reaches the source")
  func retry() {
    let attempts = Tally()
    let subscriber = Subscriber()
    Deferred {
      attempts.add()
      return Fail(outputType: Int.self, failure: TestError.first)
    }.share(replay: 1).retry(3).subscribe(subscriber)
    #expect(attempts.count == 4)
    #expect(subscriber.failure == .first)
  }

  @Test("A subscriber that cancels at its subscription leaves the source unsubscribed")
  func cancelAtOnce() {
    let source = Source()
    source.share(replay: 1).subscribe(
      AnySubscriber<Int, TestError>(
        receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none },
        receiveCompletion: { _ in }))
    #expect(source.subscriptionCount == 0)
  }

  @Test("P10: two threads subscribe first to a replay 10⁴ times, and make one connection each time")
  func firstSubscriberRace() {
    let rounds = 10_000
    let sources = (0..<rounds).map { _ in Source() }
    let shared = sources.map { $0.share(replay: 1) }
    #expect(
      raceEnds(threads: 2, rounds: rounds) { round, _ in _ = shared[round].recorded() })
    #expect(sources.allSatisfy { $0.subscriptionCount == 1 && $0.subscriberCount == 1 })
  }

  @Test("P10: two threads subscribe and cancel 10⁴ times, and leave no connection")
  func comeAndGo() {
    let source = Source()
    let shared = source.share(replay: 1)
    #expect(
      raceEnds(threads: 2, rounds: 10_000) { _, _ in shared.recorded().cancel() })
    #expect(source.subscriberCount == 0)
    #expect(source.cancelCount == source.subscriptionCount)
  }
}
