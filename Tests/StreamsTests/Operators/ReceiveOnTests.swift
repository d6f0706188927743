import Dispatch
import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-10: receive(on:)", .leakFree)
struct ReceiveOnTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  @Test("C-10: signals wait for the scheduler, and one job delivers all waiting ones")
  func batch() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.receive(on: scheduler).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    for value in 1...100 { source.send(value) }
    #expect(subscriber.values.isEmpty)
    #expect(scheduler.pendingCount == 1)
    scheduler.advance()
    #expect(subscriber.values == Array(1...100))
    // The downstream made no further request, so the upstream receives none.
    #expect(source.requests == [.unlimited])
    source.send(completion: .failure(.first))
    #expect(subscriber.completion == nil)
    scheduler.run()
    #expect(subscriber.failure == .first)
  }

  @Test("P3: a cancel suppresses waiting values and the end")
  func cancelWithWorkQueued() {
    let scheduler = TestScheduler()
    let subscriber = Subscriber()
    [1, 2, 3].publisher.setFailureType(to: TestError.self).receive(on: scheduler)
      .subscribe(subscriber)
    #expect(scheduler.pendingCount == 1)
    subscriber.cancel()
    scheduler.run()
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("P3: a cancel suppresses an end that waits alone")
  func cancelWithEndQueued() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber()
    source.receive(on: scheduler).subscribe(subscriber)
    source.send(completion: .finished)
    subscriber.cancel()
    scheduler.run()
    #expect(subscriber.kinds == ["subscription"])
    #expect(source.cancelCount == 0)
  }

  @Test("C-4: a cancel inside a batch suppresses the rest of the batch")
  func cancelInBatch() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber { subscriber, value in
      if value == 2 { subscriber.cancel() }
      return .none
    }
    source.receive(on: scheduler).subscribe(subscriber)
    for value in 1...5 { source.send(value) }
    source.send(completion: .finished)
    scheduler.run()
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.completion == nil)
  }

  @Test("C-10: values that arrive during the delivery of a batch follow it, in order")
  func sendWhileDelivering() {
    let scheduler = TestScheduler()
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber { _, value in
      if value < 5 { source.send(value + 5) }
      return .none
    }
    source.receive(on: scheduler).subscribe(subscriber)
    for value in 1...3 { source.send(value) }
    scheduler.run()
    #expect(subscriber.values == [1, 2, 3, 6, 7, 8])
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-10: the demand limits the number of waiting values")
  func bounded() {
    let scheduler = TestScheduler()
    let pulled = Tally()
    let subscriber = Subscriber(demand: .max(4)) { _, _ in .max(1) }
    (1...1_000).publisher.setFailureType(to: TestError.self)
      .handleEvents(receiveOutput: { _ in pulled.add() })
      .receive(on: scheduler).subscribe(subscriber)
    #expect(pulled.count == 4)
    scheduler.run(limit: 1)
    #expect(subscriber.values.count == 4)
    #expect(pulled.count == 8)
    scheduler.run()
    #expect(subscriber.values == Array(1...1_000))
    #expect(subscriber.isFinished)
  }

  @Test("P4: a concurrent queue delivers in order, one at a time")
  func concurrentQueue() {
    let count = manyTimes
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let done = DispatchSemaphore(value: 0)
    let expected = Expectation()
    let cancellable = (0..<count).publisher.receive(on: queue).sink(
      receiveCompletion: { _ in done.signal() }, receiveValue: { expected.take($0) })
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(expected.isInOrder(count: count))
    cancellable.cancel()
  }

  @Test("C-1: values that several threads send to a subject arrive on a queue one at a time")
  func threadsToQueue() {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber()
    let done = DispatchSemaphore(value: 0)
    let cancellable = source.receive(on: queue)
      .handleEvents(receiveCompletion: { _ in done.signal() })
      .sink(receiveCompletion: { _ in }, receiveValue: { _ = subscriber.receive($0) })
    #expect(
      raceEnds(threads: 4) { _, thread in
        for value in 0..<1_000 { source.send(thread * 1_000 + value) }
      })
    source.send(completion: .finished)
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(subscriber.values.sorted() == Array(0..<4_000))
    #expect(subscriber.overlaps == 0)
    cancellable.cancel()
  }

  @Test("C-7: a cancel releases the waiting values, even if the scheduler still holds its job")
  func releasesWaiting() {
    let scheduler = TestScheduler()
    let source = PassthroughSubject<ReleaseProbe, TestError>()
    let subscriber = TestSubscriber<ReleaseProbe, TestError>()
    let probe: Weak<ReleaseProbe>
    source.receive(on: scheduler).subscribe(subscriber)
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      source.send(object)
    }
    #expect(!probe.isReleased)
    subscriber.cancel()
    #expect(probe.isReleased)
    #expect(scheduler.pendingCount == 1)
    scheduler.run()
  }
}
