import Dispatch
import Foundation
import Streams
import StreamsFixtures
import Testing

@Suite("Schedulers", .leakFree)
struct SchedulerTests {
  @Test("The immediate scheduler runs work at once, delayed or not, on the calling thread")
  func immediate() {
    let order = Recording<Int>()
    let scheduler = ImmediateScheduler.immediate
    scheduler.schedule { order.add(1) }
    order.add(2)
    let work = scheduler.schedule(after: .seconds(1_000)) { order.add(3) }
    order.add(4)
    work.cancel()
    #expect(order.elements == [1, 2, 3, 4])
    #expect(scheduler.now == .zero)
  }

  @Test("A dispatch queue runs work on itself, in order")
  func queue() {
    let queue = DispatchQueue(label: "test")
    let order = Recording<Int>()
    let done = DispatchSemaphore(value: 0)
    let scheduler: any Scheduler = queue
    for value in 1...3 {
      scheduler.schedule {
        dispatchPrecondition(condition: .onQueue(queue))
        order.add(value)
        if value == 3 { done.signal() }
      }
    }
    #expect(done.wait(timeout: .now() + 30) == .success)
    #expect(order.elements == [1, 2, 3])
  }

  @Test("A dispatch queue runs work after its delay at the earliest, and at once without a delay")
  func delayedOnQueue() {
    let queue = DispatchQueue(label: "test")
    let delay = Duration.milliseconds(20)
    let done = DispatchSemaphore(value: 0)
    let times = Recording<Duration>()
    let scheduler: any Scheduler = queue
    let start = scheduler.now
    let works = [Duration.seconds(-5), .zero, delay].map { delay in
      scheduler.schedule(after: delay) {
        times.add(scheduler.now - start)
        done.signal()
      }
    }
    for _ in works { #expect(done.wait(timeout: .now() + 30) == .success) }
    #expect(times.elements.last.map { $0 >= delay } == true)
  }

  @Test("C-7: cancelled delayed work does not run and is released at once")
  func cancelOnQueue() {
    let queue = DispatchQueue(label: "test")
    let probe: Weak<ReleaseProbe>
    let work: any Cancellable
    do {
      let object = ReleaseProbe()
      probe = Weak(object)
      work = queue.schedule(after: .seconds(1_000_000_000_000 as Int64)) { object.touch() }
    }
    #expect(!probe.isReleased)
    work.cancel()
    #expect(probe.isReleased)
    work.cancel()
  }

  @Test("Dropping the result of schedule does not cancel the work")
  func droppedWork() {
    let done = DispatchSemaphore(value: 0)
    _ = DispatchQueue(label: "test").schedule(after: .milliseconds(1)) { done.signal() }
    #expect(done.wait(timeout: .now() + 30) == .success)
  }

  @Test("The main actor runs work on itself, never inside the scheduling call")
  @MainActor
  func mainActor() async {
    let order = Recording<Int>()
    let done = Latch()
    let scheduler = MainActorScheduler.mainActor
    scheduler.schedule {
      MainActor.assertIsolated()
      order.add(2)
      done.fire()
    }
    order.add(1)
    await done.wait()
    #expect(order.elements == [1, 2])
  }

  @Test("The main actor runs delayed work not before its delay")
  func delayedOnMainActor() async {
    let done = Latch()
    let ran = Box<Duration>()
    let scheduler = MainActorScheduler()
    let start = scheduler.now
    let work = scheduler.schedule(after: .milliseconds(20)) {
      MainActor.assertIsolated()
      ran.set(scheduler.now)
      done.fire()
    }
    await done.wait()
    #expect(ran.value.map { $0 - start >= .milliseconds(20) } == true)
    work.cancel()
  }

  @Test("C-7: cancelled delayed work on the main actor does not run and is released")
  func cancelOnMainActor() async {
    let released = Latch()
    let runs = Tally()
    do {
      let object = ReleaseProbe { released.fire() }
      let work = MainActorScheduler().schedule(after: .seconds(1_000_000)) {
        object.touch()
        runs.add()
      }
      work.cancel()
    }
    await released.wait()
    #expect(runs.count == 0)
  }

  @Test("A scheduler's clock never goes back")
  func clocks() {
    let schedulers: [any Scheduler] = [.mainActor, DispatchQueue.global(), .immediate]
    for scheduler in schedulers {
      let first = scheduler.now
      #expect(scheduler.now >= first)
    }
  }
}
