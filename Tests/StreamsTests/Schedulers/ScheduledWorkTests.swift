import Dispatch
import StreamsFixtures
import Testing

@testable import Streams

@Suite("Delayed work that is cancelled or done", .leakFree)
struct ScheduledWorkTests {
  @Test(
    "A cancel stops work in a task even after its wait, and cancels the task",
    .timeLimit(.minutes(10)))
  func taskWork() async {
    let runs = Tally()
    let task = Task { await untilCancelled() }
    let work = TaskWork(task: task, action: ScheduledAction { runs.add() })
    work.cancel()
    work.action?.run()
    #expect(runs.count == 0)
    await task.value
  }

  @Test(
    "A queue's timer is closed when it fires and when it is cancelled", arguments: [true, false])
  func queueTimer(rings: Bool) throws {
    let queue = DispatchQueue(label: "test")
    let done = DispatchSemaphore(value: 0)
    let timer = queue.schedule(after: rings ? .zero : .seconds(1_000_000)) { done.signal() }
    let source = try #require(
      Mirror(reflecting: timer).descendant("source") as? any DispatchSourceProtocol)
    if rings {
      #expect(done.wait(timeout: .now() + 30) == .success)
    } else {
      #expect(!source.isCancelled)
      timer.cancel()
    }
    #expect(source.isCancelled)
  }
}
