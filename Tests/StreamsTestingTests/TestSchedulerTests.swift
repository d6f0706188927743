import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("TestScheduler", .leakFree)
struct TestSchedulerTests {
  /// A record of the work that ran, in order.
  final class Log: Sendable {
    private let state = Mutex<[Int]>([])

    var entries: [Int] { state.withLock { $0 } }

    func add(_ entry: Int) { state.withLock { $0.append(entry) } }
  }

  @Test("No work runs until a test advances the time")
  func waits() {
    let scheduler = TestScheduler()
    let log = Log()
    scheduler.schedule { log.add(1) }
    #expect(log.entries.isEmpty)
    #expect(scheduler.pendingCount == 1)
    scheduler.advance()
    #expect(log.entries == [1])
    #expect(scheduler.pendingCount == 0)
    #expect(scheduler.now == .zero)
  }

  @Test("Due work runs in the order of its time, then of its scheduling")
  func order() {
    let scheduler = TestScheduler()
    let log = Log()
    _ = scheduler.schedule(after: .seconds(2)) { log.add(4) }
    _ = scheduler.schedule(after: .seconds(1)) { log.add(2) }
    _ = scheduler.schedule(after: .seconds(1)) { log.add(3) }
    _ = scheduler.schedule(after: .seconds(-1)) { log.add(1) }
    scheduler.advance(by: .milliseconds(999))
    #expect(log.entries == [1])
    scheduler.advance(by: .milliseconds(1))
    #expect(log.entries == [1, 2, 3])
    #expect(scheduler.now == .seconds(1))
    scheduler.run()
    #expect(log.entries == [1, 2, 3, 4])
    #expect(scheduler.now == .seconds(2))
  }

  @Test("Work scheduled by other work runs in the same advance if it is due by then")
  func nested() {
    let scheduler = TestScheduler()
    let log = Log()
    _ = scheduler.schedule(after: .seconds(1)) {
      log.add(1)
      _ = scheduler.schedule(after: .seconds(1)) { log.add(2) }
      _ = scheduler.schedule(after: .seconds(3)) { log.add(3) }
    }
    scheduler.advance(by: .seconds(2))
    #expect(log.entries == [1, 2])
    #expect(scheduler.pendingCount == 1)
  }

  @Test("Cancelled work does not run, even if running work cancels it")
  func cancel() {
    let scheduler = TestScheduler()
    let log = Log()
    let first = scheduler.schedule(after: .seconds(1)) { log.add(1) }
    let third = scheduler.schedule(after: .seconds(3)) { log.add(3) }
    _ = scheduler.schedule(after: .seconds(2)) { third.cancel() }
    first.cancel()
    first.cancel()
    scheduler.run()
    #expect(log.entries.isEmpty)
    #expect(scheduler.now == .seconds(2))
  }

  @Test("run(limit:) stops work that always schedules more")
  func limit() {
    let scheduler = TestScheduler()
    let log = Log()
    schedule(on: scheduler, log)
    scheduler.run(limit: 5)
    #expect(log.entries.count == 5)
    #expect(scheduler.pendingCount == 1)
  }

  @Test("With a seed, work due at the same time runs in an order that the seed determines")
  func seeded() {
    var orders: Set<[Int]> = []
    for seed in UInt64(0)..<200 {
      let first = order(of: TestScheduler(seed: seed))
      #expect(first == order(of: TestScheduler(seed: seed)))
      #expect(first.suffix(2) == [4, 5], "earlier work runs first whatever the seed")
      orders.insert(first)
    }
    #expect(orders.count == 24)
    #expect(order(of: TestScheduler()) == [0, 1, 2, 3, 4, 5])
    #expect(TestScheduler(seed: 3).seed == 3)
    #expect(TestScheduler().seed == nil)
  }

  private func order(of scheduler: TestScheduler) -> [Int] {
    let log = Log()
    _ = scheduler.schedule(after: .seconds(1)) { log.add(0) }
    _ = scheduler.schedule(after: .seconds(2)) {
      log.add(4)
      scheduler.schedule { log.add(5) }
    }
    for number in 1...3 { _ = scheduler.schedule(after: .seconds(1)) { log.add(number) } }
    scheduler.run()
    return log.entries
  }

  @Test("A test that fails names its seed, and that seed reproduces the failure")
  func explore() throws {
    let body: (TestScheduler) throws -> Void = { scheduler in
      let log = Log()
      for number in 0..<3 { scheduler.schedule { log.add(number) } }
      scheduler.advance()
      if log.entries == [2, 1, 0] { throw CancellationError() }
    }
    let found = #expect(throws: InterleavingFailure.self) {
      try TestScheduler.explore(seeds: 0..<1_000, body)
    }
    let order = try #require(found).order
    let seed = try #require(order.split(separator: " ").last.flatMap { UInt64($0) })
    #expect(throws: CancellationError.self) { try body(TestScheduler(seed: seed)) }
    try TestScheduler.explore(seeds: 0..<3) { _ in }
  }

  private func schedule(on scheduler: TestScheduler, _ log: Log) {
    scheduler.schedule {
      log.add(0)
      schedule(on: scheduler, log)
    }
  }
}
