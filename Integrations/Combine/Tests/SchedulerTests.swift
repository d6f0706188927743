import Dispatch
import Foundation
import Streams
import StreamsCombine
import StreamsTesting
import Synchronization
import Testing

@Suite("Streams schedulers for Combine, and Combine schedulers for Streams")
struct SchedulerTests {
  // MARK: Streams' for Combine

  @Test("A Combine pipeline that waits runs in the virtual time of a TestScheduler")
  func virtualTime() {
    let scheduler = TestScheduler()
    let subject = CombinePassthroughSubject<Int, Never>()
    let probe = CombineProbe<Never>()
    subject.debounce(for: .milliseconds(300), scheduler: scheduler.combineScheduler)
      .subscribe(probe)
    subject.send(1)
    scheduler.advance(by: .milliseconds(299))
    subject.send(2)
    scheduler.advance(by: .milliseconds(299))
    #expect(probe.values == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(probe.values == [2])
  }

  @Test("Work of Combine runs on the scheduler, at once or at its time")
  func work() {
    let scheduler = TestScheduler()
    let combine = scheduler.combineScheduler
    let journal = Journal()
    combine.schedule { journal.add("soon") }
    combine.schedule(after: combine.now.advanced(by: .seconds(2))) { journal.add("later") }
    #expect(journal.entries.isEmpty)
    scheduler.advance()
    #expect(journal.entries == ["soon"])
    scheduler.advance(by: .seconds(2))
    #expect(journal.entries == ["soon", "later"])
    #expect(combine.minimumTolerance == 0)
  }

  @Test("Repeated work keeps to its grid until a cancel, which releases the work")
  func repeatedWork() {
    let scheduler = TestScheduler()
    let combine = scheduler.combineScheduler
    let journal = Journal()
    weak var weakHeld: Journal?
    let repetition = {
      let held = Journal()
      weakHeld = held
      return combine.schedule(
        after: combine.now.advanced(by: .seconds(1)), interval: .seconds(3)
      ) {
        held.add("")
        journal.add("\(scheduler.now)")
      }
    }()
    scheduler.advance(by: .seconds(8))
    #expect(journal.entries == ["1.0 seconds", "4.0 seconds", "7.0 seconds"])
    #expect(weakHeld != nil)
    repetition.cancel()
    #expect(weakHeld == nil)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("Dropping the result of repeated work stops the work")
  func droppedRepetition() {
    let scheduler = TestScheduler()
    let combine = scheduler.combineScheduler
    let journal = Journal()
    _ = combine.schedule(after: combine.now, interval: .seconds(1)) { journal.add("") }
    scheduler.advance(by: .seconds(5))
    #expect(journal.entries.isEmpty)
  }

  @Test("Work that cancels its own repetition does not run again")
  func selfCancel() {
    let scheduler = TestScheduler()
    let combine = scheduler.combineScheduler
    let held = Unmarked(Box<any CombineFramework.Cancellable>())
    let journal = Journal()
    held.base.content = combine.schedule(after: combine.now, interval: .seconds(0)) {
      journal.add("")
      held.base.content?.cancel()
    }
    scheduler.advance(by: .seconds(1))
    #expect(journal.entries.count == 1)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A wait that the repetition releases may cancel the repetition")
  func cancelAtEndOfWait() {
    let base = TestScheduler()
    let held = Unmarked(Box<any CombineFramework.Cancellable>())
    let combine = EndingWaits(base: base) { held.base.content?.cancel() }.combineScheduler
    let journal = Journal()
    held.base.content = combine.schedule(after: combine.now, interval: .seconds(1)) {
      journal.add("")
    }
    base.advance(by: .seconds(5))
    #expect(journal.entries.count == 1)
  }

  @Test("A scheduler that does not wait runs repeated work once", arguments: [0, 1])
  func repeatedAtOnce(seconds: Int) {
    let combine = ImmediateScheduler().combineScheduler
    let journal = Journal()
    let repetition = combine.schedule(
      after: combine.now.advanced(by: .seconds(seconds)), interval: .seconds(1)
    ) { journal.add("") }
    #expect(journal.entries.count == 1)
    repetition.cancel()
  }

  @Test("Times add, compare and subtract as Combine's do")
  func times() {
    typealias Stride = CombineScheduler.SchedulerTimeType.Stride
    #expect(Stride.seconds(2) == .milliseconds(2_000))
    #expect(Stride.microseconds(3_000) == .nanoseconds(3_000_000))
    #expect(Stride.seconds(0.5) == 0.5)
    #expect(Stride(exactly: 4) == 4)
    #expect(Stride(exactly: UInt64.max) == nil)
    #expect((.seconds(1) - .seconds(3) as Stride).magnitude == 2)
    var stride: Stride = 1
    stride += 2
    stride *= 4
    stride -= 1.5
    #expect(stride == 10.5)
    #expect(stride > 10)
    let start = CombineScheduler.SchedulerTimeType(sinceReference: .seconds(1))
    #expect(start.distance(to: start.advanced(by: stride)) == stride)
    #expect(start < start.advanced(by: stride))
  }

  @Test("Infinite times and sums that are too great are the longest, and no number is none")
  func extremes() {
    typealias Stride = CombineScheduler.SchedulerTimeType.Stride
    let longest = Stride(Duration(attoseconds: .max))
    let shortest = Stride(Duration(attoseconds: .min))
    #expect(Stride.seconds(.infinity) == longest)
    #expect(Stride.seconds(-.infinity) == shortest)
    #expect(Stride.seconds(1e300) == longest)
    #expect(Stride.seconds(-1.7e20) == shortest)
    #expect(Stride.seconds(.nan) == 0)
    #expect(Stride(floatLiteral: .infinity) == longest)
    #expect(Stride(floatLiteral: .signalingNaN) == 0)
    #expect(Stride.seconds(1e18).magnitude == 1e18)
    #expect(Stride.seconds(Int.max) > .seconds(1e18))
    for numbers in [(longest, longest), (longest, 1), (1, longest), (longest, 2)] {
      #expect(numbers.0 + numbers.1 == longest)
      #expect(numbers.0 - (0 - numbers.1) == longest)
      #expect((0 - numbers.0) - numbers.1 < .seconds(-1e20))
    }
    #expect(shortest - 1 == shortest)
    #expect(shortest + shortest == shortest)
    #expect(-shortest == longest)
    #expect(longest * 2 == longest)
    #expect(longest * -2 == shortest)
    #expect(longest * 0 == 0)
    #expect(Stride.seconds(3) * .seconds(0.5) == .milliseconds(1_500))

    let start = CombineScheduler.SchedulerTimeType(sinceReference: .seconds(1))
    let last = start.advanced(by: longest)
    #expect(last.sinceReference == Duration(attoseconds: .max))
    #expect(start.advanced(by: shortest).distance(to: last) == longest)
    #expect(last.distance(to: start.advanced(by: shortest)) == shortest)
  }

  @Test("Work at infinite times waits, and work in the infinite past runs at once")
  func infiniteWaits() {
    let virtual = TestScheduler()
    let scheduler = virtual.combineScheduler
    let runs = Mutex<[Int]>([])
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(.infinity))) {
      runs.withLock { $0.append(1) }
    }
    let past = scheduler.now.advanced(by: .seconds(-.infinity))
    scheduler.schedule(after: past) { runs.withLock { $0.append(2) } }
    let seldom = scheduler.schedule(after: scheduler.now, interval: .seconds(.infinity)) {
      runs.withLock { $0.append(3) }
    }
    let late = scheduler.schedule(after: past, interval: .seconds(1e19)) {
      runs.withLock { $0.append(4) }
    }
    virtual.advance(by: .seconds(1_000_000))
    #expect(runs.withLock { $0 } == [2, 3, 4])
    seldom.cancel()
    late.cancel()
  }

  // MARK: Combine's for Streams

  @Test("A pipeline of Streams is delivered on a queue that Combine schedules on")
  func queue() async throws {
    let queue = DispatchQueue(label: "StreamsCombine.tests")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let values = try await (1...1_000).publisher
      .receive(on: queue.asCombineScheduler.streamsScheduler)
      .map { (value: $0, isOnQueue: DispatchQueue.getSpecific(key: key) ?? false) }
      .allValues
    #expect(values.map(\.value) == Array(1...1_000))
    #expect(values.filter(\.isOnQueue).count == 1_000)
  }

  @Test("A run loop delivers a pipeline of Streams, and not before the loop runs")
  func runLoop() {
    let values = Mutex<[Int]>([])
    onThread {
      let loop = RunLoop.current
      let isDone = Atomic<Bool>(false)
      let sink = (1...3).publisher
        .receive(on: loop.asCombineScheduler.streamsScheduler)
        .sink(
          receiveCompletion: { _ in isDone.store(true, ordering: .relaxed) },
          receiveValue: { value in values.withLock { $0.append(value) } })
      #expect(values.withLock { $0 } == [])
      // A loop with nothing to wait for does not run.
      let timer = Timer(timeInterval: 3_600, repeats: true) { _ in }
      loop.add(timer, forMode: .default)
      while !isDone.load(ordering: .relaxed) { _ = loop.run(mode: .default, before: Date()) }
      timer.invalidate()
      withExtendedLifetime(sink) {}
    }
    #expect(values.withLock { $0 } == [1, 2, 3])
  }

  @Test("Delayed work runs when Combine's clock reaches its time, and not after a cancel")
  func delayedWork() {
    let test = TestScheduler()
    let scheduler = test.combineScheduler.streamsScheduler
    let journal = Journal()
    weak var weakHeld: Journal?
    let cancelled = {
      let held = Journal()
      weakHeld = held
      return scheduler.schedule(after: .seconds(1)) { held.add("") }
    }()
    _ = scheduler.schedule(after: .seconds(2)) { journal.add("\(scheduler.now)") }
    cancelled.cancel()
    #expect(weakHeld == nil)
    test.advance(by: .seconds(3))
    #expect(journal.entries == ["2.0 seconds"])
    #expect(scheduler.now == .seconds(3))
  }

  @Test("A queue's time advances, and delayed work waits for its time")
  func queueTime() async {
    let scheduler = DispatchQueue(label: "StreamsCombine.time").asCombineScheduler.streamsScheduler
    let before = scheduler.now
    let after = await withCheckedContinuation { continuation in
      _ = scheduler.schedule(after: .milliseconds(20)) {
        continuation.resume(returning: scheduler.now)
      }
    }
    #expect(before >= .zero)
    #expect(after - before >= .milliseconds(20))
  }

  @Test("A Combine scheduler whose time stands still runs work at once")
  func immediate() {
    let scheduler = CombineImmediateScheduler.shared.streamsScheduler
    let journal = Journal()
    scheduler.schedule { journal.add("now") }
    _ = scheduler.schedule(after: .seconds(9)) { journal.add("then") }
    #expect(journal.entries == ["now", "then"])
    #expect(scheduler.now == .zero)
  }

  @Test(
    "Delays and times keep their nanoseconds through Combine",
    arguments: [
      Duration.nanoseconds(1), .milliseconds(1_500), .seconds(86_400) + .nanoseconds(7),
      .seconds(Int32.max),
    ])
  func exactTime(wait: Duration) {
    let test = TestScheduler()
    let scheduler = test.combineScheduler.streamsScheduler
    let ran = Atomic<Bool>(false)
    _ = scheduler.schedule(after: wait) { ran.store(true, ordering: .relaxed) }
    test.advance(by: wait - .nanoseconds(1))
    #expect(ran.load(ordering: .relaxed) == false)
    test.advance(by: .nanoseconds(1))
    #expect(ran.load(ordering: .relaxed) == true)
    #expect(scheduler.now == test.now)
  }

  @Test("An infinite delay becomes the longest one, and a negative one becomes none")
  func extremeWaits() {
    let test = TestScheduler()
    let scheduler = test.combineScheduler.streamsScheduler
    let journal = Journal()
    _ = scheduler.schedule(after: .seconds(Int64.max)) { journal.add("never") }
    _ = scheduler.schedule(after: .seconds(-5)) { journal.add("at once") }
    test.advance(by: .seconds(Int32.max - 1))
    #expect(journal.entries == ["at once"])
    #expect(test.pendingCount == 1)
    let queue = DispatchQueue.global().asCombineScheduler.streamsScheduler
    queue.schedule(after: .seconds(Int64.max)) {}.cancel()
  }

  @Test("A clock that is set back gives a time before the first one")
  func setBack() {
    let clock = SetClock()
    let scheduler = clock.combineScheduler.streamsScheduler
    clock.set(.seconds(-3) - .nanoseconds(5))
    #expect(scheduler.now == .seconds(-3) - .nanoseconds(5))
  }
}

/// A scheduler with a time that a test sets.
private final class SetClock: Streams.Scheduler {
  private let time = Mutex(Duration.zero)

  var now: Duration { time.withLock { $0 } }

  func set(_ now: Duration) { time.withLock { $0 = now } }

  func schedule(_ action: @escaping @Sendable () -> Void) { action() }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Streams.Cancellable {
    action()
    return Subscriptions.empty
  }
}

/// A scheduler whose waits run a closure when they are released.
private struct EndingWaits: Streams.Scheduler {
  let base: TestScheduler
  let onEnd: @Sendable () -> Void

  var now: Duration { base.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { base.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Streams.Cancellable {
    EndingWait(base.schedule(after: delay, action), onEnd)
  }
}

private final class EndingWait: Streams.Cancellable {
  private let wait: any Streams.Cancellable
  private let onEnd: @Sendable () -> Void

  init(_ wait: any Streams.Cancellable, _ onEnd: @escaping @Sendable () -> Void) {
    self.wait = wait
    self.onEnd = onEnd
  }

  deinit { onEnd() }

  func cancel() { wait.cancel() }
}

/// A record of events, in order.
private final class Journal: Sendable {
  private let lines = Mutex<[String]>([])

  var entries: [String] { lines.withLock { $0 } }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

private final class Box<Content> {
  var content: Content?
}
