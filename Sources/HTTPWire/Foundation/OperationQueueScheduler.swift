import Dispatch
import Foundation
import Streams

/// A scheduler that runs work as operations of a queue, as many at a time as the queue allows.
///
/// A suspended queue holds work back. The queue's clock stops while the machine sleeps. Delayed
/// work joins the queue at its time. A cancel releases the work and its timer at once.
extension OperationQueue: Scheduler {
  public var now: Duration { DispatchQueue.global().now }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    addOperation(action)
  }

  @discardableResult
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    guard delay > .zero else {
      addOperation { action.run() }
      return action
    }
    let timer = DispatchQueue.global().schedule(after: delay) {
      self.addOperation { action.run() }
    }
    return DelayedOperation(action: action, timer: timer)
  }
}

/// Work that waits for its time, and then for the queue.
private struct DelayedOperation: Cancellable {
  let action: ScheduledAction
  let timer: any Cancellable

  func cancel() {
    action.cancel()
    timer.cancel()
  }
}
