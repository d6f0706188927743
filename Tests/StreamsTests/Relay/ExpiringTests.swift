import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("A publisher with a time limit for its first signal", .leakFree)
struct ExpiringTests {
  typealias Source = TestPublisher<Int, any Error>
  typealias Downstream = TestSubscriber<Int, any Error>

  private let scheduler = TestScheduler()
  private let source = Source()

  private func run(_ upstream: some Publisher<Int, any Error>) -> Downstream {
    let downstream = Downstream()
    Expiring(
      upstream.eraseToAnyPublisher(), after: .seconds(1), scheduler: scheduler,
      makeError: { TestError.second }
    ).subscribe(downstream)
    return downstream
  }

  @Test("After the limit the publisher is cancelled and the failure delivered")
  func expires() {
    let downstream = run(source)
    scheduler.advance(by: .milliseconds(999))
    #expect(downstream.failure == nil)
    scheduler.advance(by: .milliseconds(1))
    #expect(downstream.failure as? TestError == .second)
    #expect(source.cancelCount == 1)
  }

  @Test("After a first value there is no limit")
  func inTime() {
    let downstream = run(source)
    source.send(1)
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(5))
    source.send(2)
    source.send(completion: .finished)
    #expect(downstream.values == [1, 2])
    #expect(downstream.isFinished)
  }

  @Test("A publisher that signals at once needs no timer")
  func atOnce() {
    let downstream = run(Just(1).setFailureType(to: (any Error).self))
    #expect(downstream.values == [1])
    #expect(downstream.isFinished)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A cancel cancels the timer, too")
  func cancel() {
    let downstream = run(source)
    #expect(scheduler.pendingCount == 1)
    downstream.cancel()
    #expect(scheduler.pendingCount == 0)
    #expect(source.cancelCount == 1)
  }

  @Test("The failure is made after the cancel, so it can describe all earlier events")
  func lateFailure() {
    let cancels = source
    let downstream = Downstream()
    Expiring(
      source.eraseToAnyPublisher(), after: .seconds(1), scheduler: scheduler,
      makeError: { cancels.cancelCount == 1 ? TestError.second : TestError.first }
    ).subscribe(downstream)
    scheduler.advance(by: .seconds(1))
    #expect(downstream.failure as? TestError == .second)
  }

  @Test("A publisher that may take longer when the time is over is not ended")
  func exempt() {
    let downstream = Downstream()
    Expiring(
      source.eraseToAnyPublisher(), after: .seconds(1), scheduler: scheduler,
      unless: { true }, makeError: { TestError.second }
    ).subscribe(downstream)
    scheduler.advance(by: .seconds(2))
    #expect(downstream.failure == nil)
    #expect(source.cancelCount == 0)
    source.send(1)
    source.send(completion: .finished)
    #expect(downstream.values == [1])
    #expect(downstream.isFinished)
  }

  @Test("C-3: demand reaches the publisher")
  func demand() {
    let downstream = Downstream(demand: .max(1))
    Expiring(
      source.eraseToAnyPublisher(), after: .seconds(1), scheduler: scheduler,
      makeError: { TestError.second }
    ).subscribe(downstream)
    downstream.request(.max(2))
    #expect(source.requests == [.max(1), .max(2)])
    downstream.cancel()
  }

  @Test("A timer that fires late, after a signal or a cancel, does nothing")
  func lateTimer() {
    for isCancelled in [false, true] {
      let source = Source()
      let downstream = Downstream()
      Expiring(
        source.eraseToAnyPublisher(), after: .seconds(1),
        scheduler: UnstoppableTimers(base: scheduler), makeError: { TestError.second }
      ).subscribe(downstream)
      if isCancelled { downstream.cancel() } else { source.send(1) }
      scheduler.advance(by: .seconds(2))
      #expect(downstream.failure == nil)
      #expect(source.cancelCount == (isCancelled ? 1 : 0))
      guard !isCancelled else { continue }
      source.send(2)
      source.send(completion: .finished)
      #expect(downstream.values == [1, 2])
      #expect(downstream.isFinished)
    }
  }

  @Test("C-4: an end in time is passed on without a cancel")
  func endInTime() {
    let downstream = run(source)
    source.send(completion: .finished)
    #expect(downstream.isFinished)
    #expect(source.cancelCount == 0)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A signal that arrives while the timer is being set cancels it")
  func signalMeanwhile() {
    let source = Source()
    let downstream = Downstream()
    let timers = InterposingTimers { source.send(1) }
    Expiring(
      source.eraseToAnyPublisher(), after: .seconds(1), scheduler: timers,
      makeError: { TestError.second }
    ).subscribe(downstream)
    #expect(downstream.values == [1])
    #expect(timers.timer.cancels.count == 1)
    source.send(completion: .finished)
    #expect(downstream.isFinished)
  }
}
