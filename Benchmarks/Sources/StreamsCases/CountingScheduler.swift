import Dispatch
import Streams
import Synchronization

/// A serial queue that counts its jobs, each of which wakes it up.
final class CountingScheduler: Scheduler {
  private let queue: DispatchQueue
  private let count = Atomic<Int>(0)

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  var jobs: Int { count.load(ordering: .relaxed) }

  var now: Duration { queue.now }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    count.add(1, ordering: .relaxed)
    queue.schedule(action)
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    count.add(1, ordering: .relaxed)
    return queue.schedule(after: delay, action)
  }
}
