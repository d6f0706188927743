import Dispatch
import Streams

/// Threads for subscribers, which may block all of them but one.
///
/// Each thread is that of a serial queue. On Linux, all concurrent queues of a process share as
/// many threads as there are processors, and Swift's tasks use the same threads. Dispatch adds one
/// thread for each second in which all of them are blocked, so two subscribers could delay the
/// whole process. A serial queue gets a thread at once, as long as the process has fewer than 255
/// of them. Beyond that, Foundation's own queues would stop, so the number of threads is bounded.
package final class DeliveryThreads: Sendable {
  private struct Work {
    let run: Action
  }

  private struct State {
    var waiting = FIFO<Work>()
    var running = 0
  }

  package typealias Action = @Sendable () -> Void

  private let most: Int
  private let state = Lock(State())
  private let begin: @Sendable (@escaping Action) -> Void
  private let later: @Sendable (DispatchTimeInterval, @escaping Action) -> Void

  /// - Parameter most: The maximum number of threads. Further work waits in line until one of them
  ///   returns.
  package convenience init(most: Int = 64) {
    let clock = DispatchQueue(label: "RESTKit.DeliveryThreads.clock")
    self.init(most: most) { thread in
      DispatchQueue(label: "RESTKit.DeliveryThreads").async(execute: thread)
    } later: { delay, check in
      clock.asyncAfter(deadline: .now() + delay, execute: check)
    }
  }

  /// - Parameters:
  ///   - begin: A closure that runs another one on a new thread.
  ///   - later: A closure that runs another one after a time, on a thread that nobody blocks.
  package init(
    most: Int, begin: @escaping @Sendable (@escaping Action) -> Void,
    later: @escaping @Sendable (DispatchTimeInterval, @escaping Action) -> Void
  ) {
    self.most = most
    self.begin = begin
    self.later = later
  }

  /// Runs work on one of the threads, never on the caller's thread.
  package func run(_ work: @escaping Action) {
    let mayStart = state.withLock { state in
      state.waiting.append(Work(run: work))
      guard state.running < most else { return false }
      state.running += 1
      return true
    }
    guard mayStart else { return }
    begin { [self] in
      while let work = next() { work.run() }
    }
  }

  /// Runs a check after a delay, on a thread of its own that no subscriber blocks.
  ///
  /// - Parameter check: A closure that returns soon.
  package func check(after delay: DispatchTimeInterval, _ check: @escaping Action) {
    later(delay, check)
  }

  /// Returns the next work for a thread, or nil if the thread must end.
  private func next() -> Work? {
    state.withLock { state in
      let work = state.waiting.popFirst()
      if work == nil { state.running -= 1 }
      return work
    }
  }
}
