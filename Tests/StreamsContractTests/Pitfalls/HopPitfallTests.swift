import Dispatch
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of hops", .leakFree)
struct HopPitfallTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  static let hops =
    TimedStage.all + [
      TimedStage(name: "receive(on:)") { base, scheduler in base.receive(on: scheduler).any }
    ]

  @Test("P-3: after a cancel neither queued values nor the queued end arrive", arguments: hops)
  func cancelWithWorkQueued(hop: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    hop.attach(source.any, scheduler).subscribe(subscriber)
    scheduler.advance()
    for value in 1...3 { source.send(value) }
    source.send(completion: .finished)
    let before = subscriber.signals.count
    subscriber.cancel()
    scheduler.run()
    #expect(subscriber.signals.count == before)
  }

  @Test("P-4: a concurrent queue receives all of 10⁵ values in order, then the end")
  func concurrentQueue() async {
    let queue = DispatchQueue(label: "P-4", attributes: .concurrent)
    let expectation = Expectation()
    let done = Latch()
    let cancellable = (0..<100_000).publisher.receive(on: queue).receive(on: queue)
      .sink(receiveCompletion: { _ in done.fire() }, receiveValue: { expectation.take($0) })
    await done.wait()
    #expect(expectation.isInOrder(count: 100_000))
    cancellable.cancel()
  }

  @Test(
    "P-5: each batch wakes once, and the source receives no more demand than the downstream made")
  func batches() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(1_000))
    source.receive(on: scheduler).subscribe(subscriber)
    for value in 0..<1_000 { source.send(value) }
    #expect(scheduler.pendingCount == 1)
    scheduler.run(limit: 1)
    #expect(subscriber.values == Array(0..<1_000))
    #expect(source.requests.reduce(.none, +) == .max(1_000))
    subscriber.cancel()
  }

  /// One that delays keeps a deadline for each value that waits, by its nature.
  static let timing = TimedStage.all.filter { $0.name != "delay" }

  @Test("P-26: many values keep one timer alive", arguments: timing)
  func timers(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    stage.attach(source.any, scheduler).subscribe(subscriber)
    scheduler.advance()
    for value in 0..<1_000 { source.send(value) }
    // The timer, and the one job that delivers due values.
    #expect(scheduler.pendingCount <= 2)
    for value in 0..<50 {
      scheduler.advance(by: .milliseconds(1))
      source.send(value)
      #expect(scheduler.pendingCount <= 2)
    }
    subscriber.cancel()
    scheduler.run()
    #expect(scheduler.now < .seconds(1), "the cancel took the timer back")
  }

  @Test(
    "P-27: an error during a quiet time comes at once",
    arguments: hops.filter { !["delay", "retry, with a policy"].contains($0.name) })
  func errorInQuietTime(stage: TimedStage) {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    stage.attach(source.any, scheduler).subscribe(subscriber)
    scheduler.advance()
    source.send(1)
    source.send(2)
    scheduler.advance(by: .milliseconds(3))
    source.send(completion: .failure(.second))
    scheduler.advance()
    #expect(subscriber.failure == .second)
    #expect(scheduler.now == .milliseconds(3))
  }
}
