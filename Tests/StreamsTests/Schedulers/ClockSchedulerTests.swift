import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("ClockScheduler", .leakFree)
struct ClockSchedulerTests {
  @Test("ClockScheduler runs work, and delayed work not before the clock's time")
  func runs() async {
    let clock = ManualClock()
    let scheduler = ClockScheduler(clock)
    let now = Latch()
    scheduler.schedule { now.fire() }
    await now.wait()
    let later = Latch()
    let ran = Tally()
    let work = scheduler.schedule(after: .seconds(3)) {
      ran.add()
      later.fire()
    }
    await clock.sleeping.wait()
    #expect(ran.count == 0)
    clock.advance(by: .seconds(3))
    await later.wait()
    #expect(scheduler.now == .seconds(3))
    work.cancel()
  }

  @Test("C-7: cancelled delayed work is released at once, and its task ends")
  func cancel() async {
    let clock = ManualClock()
    let released: Weak<ReleaseProbe>
    let work: any Cancellable
    do {
      let probe = ReleaseProbe()
      released = Weak(probe)
      work = ClockScheduler(clock).schedule(after: .seconds(1)) { probe.touch() }
    }
    #expect(!released.isReleased)
    work.cancel()
    #expect(released.isReleased)
  }

  @Test("The system's clocks never go back, and a delay that is not positive is none")
  func systemClocks() async {
    let schedulers: [any Scheduler] = [.continuous, .suspending]
    for scheduler in schedulers {
      let before = scheduler.now
      let ran = Latch()
      _ = scheduler.schedule(after: .seconds(-1)) { ran.fire() }
      await ran.wait()
      #expect(scheduler.now >= before)
    }
  }

  @Test("C-10: receive(on:) keeps the order although tasks do not")
  func order() async throws {
    let values = try await (0..<10_000).publisher.receive(on: .continuous).allValues
    #expect(values == Array(0..<10_000))
  }
}

/// A clock that a test moves, with one sleeper at a time.
private final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  let sleeping = Latch()
  private let awake = Latch()
  private let time = Lock(Instant(offset: .zero))

  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    sleeping.fire()
    await awake.wait()
  }

  func advance(by duration: Duration) {
    time.withLock { $0 = $0.advanced(by: duration) }
    awake.fire()
  }
}
