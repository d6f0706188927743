import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("The waits for a clock", .leakFree, .timeLimit(.minutes(10)))
struct TimerQueueTests {
  private let clock = SteppedClock()

  private func wait(_ seconds: Int, in queue: TimerQueue<SteppedClock>) -> Task<Int, any Error> {
    Task {
      try await queue.wait(until: .seconds(seconds))
      return seconds
    }
  }

  @Test("Waits end in their time, earlier ones first, and sleep once where one sleep is enough")
  func order() async throws {
    let queue = TimerQueue(clock, keepsSleeps: true)
    let late = wait(30, in: queue)
    await clock.sleepers(1)
    let early = wait(10, in: queue)
    await clock.sleepers(2)
    let middle = wait(20, in: queue)
    while queue.counts.times < 3 { await Task.yield() }
    #expect(queue.counts.sleeps == 2)
    clock.advance(by: .seconds(10))
    #expect(try await early.value == 10)
    // The wait in the middle has a sleep of its own only now.
    await clock.sleepers(2)
    clock.advance(by: .seconds(10))
    #expect(try await middle.value == 20)
    clock.advance(by: .seconds(10))
    #expect(try await late.value == 30)
    #expect(queue.counts.times == 0)
  }

  @Test("One sleep serves 20,000 waits that are cancelled, and nothing is left of them")
  func cancelled() async {
    let queue = TimerQueue(clock, keepsSleeps: true)
    for number in 0..<20_000 {
      let task = wait(3_600 + number, in: queue)
      task.cancel()
      _ = await task.result
    }
    #expect(queue.counts.sleeps <= 1)
    #expect(queue.counts.times <= 8)
    clock.advance(by: .seconds(30_000))
  }

  @Test("Times of cancelled waits are dropped, and the others keep their order")
  func dropped() async throws {
    let queue = TimerQueue(clock, keepsSleeps: true)
    let kept = (1...20).map { wait($0, in: queue) }
    let others = (1...200).map { wait($0, in: queue) }
    while queue.counts.times < 220 { await Task.yield() }
    for task in others { task.cancel() }
    for task in others { _ = await task.result }
    #expect(queue.counts.times <= 48)
    clock.advance(by: .seconds(300))
    for (place, task) in kept.enumerated() { #expect(try await task.value == place + 1) }
  }

  @Test("A wait of a cancelled task throws at once, and begins no sleep")
  func cancelledBefore() async {
    let queue = TimerQueue(clock, keepsSleeps: true)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await queue.wait(until: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(queue.counts == (0, 0))
  }

  @Test("A clock's own queue cancels its sleep when nobody waits any more")
  func ownQueue() async {
    let queue = TimerQueue(clock, keepsSleeps: false)
    let (first, second) = (wait(5, in: queue), wait(7, in: queue))
    while queue.counts.times < 2 { await Task.yield() }
    first.cancel()
    _ = await first.result
    #expect(queue.counts.sleeps > 0)
    second.cancel()
    _ = await second.result
    #expect(queue.counts.sleeps == 0)
    await clock.sleepers(0)
  }

  @Test("Waits of which each ends before the last one hold few sleeps")
  func earlierAndEarlier() async throws {
    let queue = TimerQueue(clock, keepsSleeps: true)
    for number in 0..<5_000 {
      let task = wait(7_200 - number, in: queue)
      task.cancel()
      _ = await task.result
    }
    #expect(queue.counts.sleeps <= 24)
    let kept = wait(100, in: queue)
    while queue.counts.times < 1 { await Task.yield() }
    for _ in 0..<100 {
      await clock.settle(in: queue)
      clock.advance(by: .seconds(1))
    }
    #expect(try await kept.value == 100)
    clock.advance(by: .seconds(10_000))
  }

  @Test("A clock whose sleep fails ends the waits that needed it, and no others")
  func failingClock() async throws {
    let clock = FailingClock(failures: 1)
    let queue = TimerQueue(clock, keepsSleeps: true)
    let first = Task { try await queue.wait(until: .seconds(1)) }
    await #expect(throws: FailingClock.Failure.self) { try await first.value }
    let second = Task { try await queue.wait(until: .seconds(2)) }
    try await second.value
    #expect(queue.counts == (0, 0))
  }

  @Test("Waits in the past, and of one time, end at once")
  func past() async throws {
    let queue = TimerQueue(clock, keepsSleeps: true)
    clock.advance(by: .seconds(60))
    let late = wait(1_000, in: queue)
    await clock.sleepers(1)
    for seconds in [-5, 0, 59, 59] { #expect(try await wait(seconds, in: queue).value == seconds) }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(queue.counts.times <= 8)
    clock.advance(by: .seconds(1_000))
  }

  @Test("Of many threads' waits and cancels, each ends once, and nothing is left")
  func threads() async {
    let queue = TimerQueue(ContinuousClock(), keepsSleeps: false)
    await withTaskGroup(of: Void.self) { group in
      for seed in 0..<16 {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(seed))
          for _ in 0..<50 {
            let time = queue.now + .microseconds(Int.random(in: -100...800, using: &generator))
            let task = Task { try await queue.wait(until: time) }
            if Bool.random(using: &generator) { task.cancel() }
            _ = await task.result
          }
        }
      }
    }
    #expect(queue.counts.times <= 8)
  }

  @Test("Work may cancel itself, and a released scheduler still runs what it was given")
  func cancelInside() async {
    let runs = ValueList()
    await withCheckedContinuation { continuation in
      let own = Lock<(any Cancellable)?>(nil)
      let work = ClockScheduler(ContinuousClock()).schedule(after: .milliseconds(1)) {
        own.withLock { $0.take() }?.cancel()
        runs.add(1)
        continuation.resume()
      }
      own.withLock { $0 = work }
    }
    #expect(runs.all == [1])
  }

  @Test("The system's clocks have a queue, and delayed work keeps its task's locals")
  func system() async {
    let values = ValueList()
    await Self.$local.withValue(7) {
      await withCheckedContinuation { continuation in
        _ = ClockScheduler.continuous.schedule(after: .milliseconds(1)) {
          values.add(Self.local)
          continuation.resume()
        }
      }
    }
    #expect(values.all == [7])
  }

  @TaskLocal private static var local = 0

  @Test("A heap gives times in order, those of one time in the order in which they came")
  func heap() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<200 {
      var heap = TimerHeap()
      var expected: [TimerHeap.Entry] = []
      for number in 0..<Int.random(in: 0...40, using: &generator) {
        let entry = TimerHeap.Entry(
          time: .seconds(Int.random(in: 0...9, using: &generator)), number: number)
        heap.insert(entry)
        expected.append(entry)
      }
      let isOdd: (TimerHeap.Entry) -> Bool = { !$0.number.isMultiple(of: 2) }
      if Bool.random(using: &generator) {
        heap.keep(where: isOdd)
        expected = expected.filter(isOdd)
      }
      expected.sort { ($0.time, $0.number) < ($1.time, $1.number) }
      #expect(heap.first?.number == expected.first?.number)
      let half = heap.takeAll(until: .seconds(4))
      #expect(half == expected.filter { $0.time <= .seconds(4) }.map(\.number))
      #expect(half + heap.takeAll(until: .seconds(9)) == expected.map(\.number))
      #expect(heap.count == 0)
    }
  }
}

private final class ValueList: Sendable {
  private let values = Lock<[Int]>([])
  var all: [Int] { values.withLock { $0 } }
  func add(_ value: Int) { values.withLock { $0.append(value) } }
}

/// A clock that a test moves, with any number of sleepers.
private final class SteppedClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct State: Sendable {
    var now = Duration.zero
    var last = 0
    var sleepers: [Int: (end: Duration, wait: CheckedContinuation<Void, any Error>)] = [:]
  }

  private let state = Lock(State())

  var now: Instant { state.withLock { Instant(offset: $0.now) } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait in
        let isOver = state.withLock { state in
          if deadline.offset <= state.now || Task.isCancelled { return true }
          state.sleepers[number] = (deadline.offset, wait)
          return false
        }
        if isOver { wait.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.wait
        .resume(throwing: CancellationError())
    }
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.end <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.wait)
    }
    for wait in due { wait.resume() }
  }

  /// Waits until each sleep of a queue has begun.
  func settle(in queue: TimerQueue<SteppedClock>) async {
    while state.withLock({ $0.sleepers.count }) != queue.counts.sleeps { await Task.yield() }
  }

  /// Waits until there are so many sleepers.
  func sleepers(_ count: Int) async {
    while state.withLock({ $0.sleepers.count }) != count { await Task.yield() }
  }
}

/// A clock whose first sleeps fail, and whose further sleeps end at once.
private final class FailingClock: Clock {
  struct Failure: Error {}

  private let failures: Lock<Int>

  init(failures: Int) { self.failures = Lock(failures) }

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    let fails = failures.withLock { left in
      left -= 1
      return left >= 0
    }
    if fails { throw Failure() }
  }
}
