import Dispatch
import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

@Suite("An operation queue as a scheduler")
struct OperationQueueSchedulerTests {
  private static func serialQueue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }

  @Test("C-10: receive(on:) keeps the order on a queue that runs many operations at a time")
  func order() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 8
    var values: [Int] = []
    for await value in (0..<10_000).publisher.receive(on: queue).values { values.append(value) }
    #expect(values == Array(0..<10_000))
  }

  @Test("Work runs on the queue, after earlier work")
  func onQueue() {
    let queue = Self.serialQueue()
    let scheduler: any Scheduler = queue
    let done = DispatchSemaphore(value: 0)
    let seen = Seen()
    queue.isSuspended = true
    scheduler.schedule { seen.add("first", OperationQueue.current === queue) }
    _ = scheduler.schedule(after: .zero) { seen.add("second", OperationQueue.current === queue) }
    _ = scheduler.schedule(after: .seconds(-1)) { done.signal() }
    #expect(seen.all.isEmpty)
    queue.isSuspended = false
    #expect(done.wait(timeout: .now() + 30) == .success)
    #expect(seen.all == ["first true", "second true"])
  }

  @Test("Delayed work runs no sooner than the delay")
  func delayed() {
    let scheduler: any Scheduler = Self.serialQueue()
    let delay = Duration.milliseconds(20)
    let done = DispatchSemaphore(value: 0)
    let seen = Seen()
    let start = scheduler.now
    _ = scheduler.schedule(after: delay) {
      seen.add("waited", scheduler.now - start >= delay)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 30) == .success)
    #expect(seen.all == ["waited true"])
  }

  @Test("C-7: cancelled work does not run and is released at once", arguments: [0, 3_600])
  func takenBack(seconds: Int) {
    let queue = Self.serialQueue()
    queue.isSuspended = true
    var probe: Seen? = Seen()
    weak let released = probe
    let work = queue.schedule(after: .seconds(seconds)) { [probe] in probe?.add("ran", true) }
    probe = nil
    #expect(released != nil)
    work.cancel()
    #expect(released == nil)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test("C-7: cancelled delayed work does not keep its queue")
  func queueReleased() {
    var queue: OperationQueue? = Self.serialQueue()
    weak let released = queue
    let work = queue?.schedule(after: .seconds(3_600)) {}
    queue = nil
    #expect(released != nil)
    work?.cancel()
    #expect(released == nil)
  }
}

/// The observations of operations, in their order.
private final class Seen: Sendable {
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ name: String, _ isRight: Bool) {
    lines.withLock { $0.append("\(name) \(isRight)") }
  }
}
