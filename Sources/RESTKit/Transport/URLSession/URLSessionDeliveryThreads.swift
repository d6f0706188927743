import Dispatch
import Streams

/// Runs what subscribers do, on threads that they may block for long, or for good.
///
/// Each thread is that of a serial queue. On Linux, Dispatch gives all concurrent queues of a process
/// together, Swift's tasks among them, as many threads as there are processors, and adds one each
/// second in which all of these are blocked: two subscribers could hold up everybody. A serial queue
/// has a thread at once, as long as there are fewer than 255 of them in the process. Past that, the
/// queues of Foundation itself would stand still, so the number that runs at once is bounded.
final class URLSessionDeliveryThreads: Sendable {
  private struct Work {
    let run: @Sendable () -> Void
  }

  private struct State {
    var waiting = FIFO<Work>()
    var running = 0
  }

  private let most: Int
  private let state = Lock(State())

  /// - Parameter most: How many threads there are at once; what is more than that waits in line for
  ///   one of them to return.
  init(most: Int = 64) {
    self.most = most
  }

  /// Runs something on one of the threads, and never on the caller's.
  func run(_ work: @escaping @Sendable () -> Void) {
    let mayStart = state.withLock { state in
      state.waiting.append(Work(run: work))
      guard state.running < most else { return false }
      state.running += 1
      return true
    }
    guard mayStart else { return }
    DispatchQueue(label: "RESTKit.URLSessionEngine.delivery").async { [self] in
      while let work = next() { work.run() }
    }
  }

  /// The next work for a thread; nil where it has to end.
  private func next() -> Work? {
    state.withLock { state in
      let work = state.waiting.popFirst()
      if work == nil { state.running -= 1 }
      return work
    }
  }
}
