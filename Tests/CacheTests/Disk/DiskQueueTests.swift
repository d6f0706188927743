import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("The line of a disk store's work")
struct DiskQueueTests {
  /// A line whose waits are counted, and whose work a test runs.
  private struct Line {
    let work = WaitingWork()
    let waits = Counter()
    let queue: DiskQueue

    init() {
      queue = DiskQueue({ [work] in work.add($0) }, awaitAll: { [waits] _ in waits.add() })
    }
  }

  @Test("A call waits for its own work if the line was empty, and not behind others or slow work")
  func settle() {
    let line = Line()
    line.queue.settle()
    #expect(line.waits.value == 0)
    line.queue.add {}
    line.queue.settle()
    #expect(line.waits.value == 1)
    // The start of the store may be before it.
    line.queue.add {}
    line.queue.settle()
    #expect(line.waits.value == 2)
    line.queue.add {}
    line.queue.settle()
    #expect(line.waits.value == 2)
    line.work.runAll()
    line.queue.add {}
    line.queue.add(isSlow: true) {}
    line.queue.settle()
    #expect(line.waits.value == 2)
    line.work.runAll()
    line.queue.settle()
    #expect(line.waits.value == 2)
  }

  @Test("The end of a store waits for all work, also for slow work, and not for none")
  func finish() {
    let line = Line()
    line.queue.finish()
    #expect(line.waits.value == 0)
    line.queue.add(isSlow: true) {}
    line.queue.finish()
    #expect(line.waits.value == 1)
    for _ in 0..<5 { line.queue.add {} }
    line.queue.finish()
    #expect(line.waits.value == 2)
    line.work.runAll()
    line.queue.finish()
    #expect(line.waits.value == 2)
  }

  @Test("Work that comes to a wait does not wait for itself")
  func own() {
    let line = Line()
    line.queue.add { [queue = line.queue] in
      queue.settle()
      queue.finish()
    }
    line.work.runAll()
    #expect(line.waits.value == 0)
    line.queue.add {}
    line.queue.settle()
    #expect(line.waits.value == 1)
  }

  @Test("A wait for a real line ends when the work is done")
  func ended() {
    let queue = DiskQueue()
    let done = Counter()
    for _ in 0..<100 { queue.add { done.add() } }
    queue.finish()
    #expect(done.value == 100)
  }
}
