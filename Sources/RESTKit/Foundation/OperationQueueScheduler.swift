import Dispatch
import Foundation
import Streams

/// An operation queue runs work as operations, as many at a time as it allows.
///
/// A suspended queue holds work back. Its clock stops while the machine sleeps. Delayed work joins
/// the queue when its time has come; taken back, it is released at once.
extension OperationQueue: Scheduler {
  public var now: Duration { DispatchQueue.global().now }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    addOperation(action)
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    guard delay > .zero else {
      addOperation { action.run() }
      return action
    }
    _ = DispatchQueue.global().schedule(after: delay) { self.addOperation { action.run() } }
    return action
  }
}
