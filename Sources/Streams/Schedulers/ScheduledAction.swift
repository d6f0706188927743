/// Work that runs once, or that a cancel releases.
@usableFromInline package final class ScheduledAction: Cancellable {
  private let action: Lock<(@Sendable () -> Void)?>

  @usableFromInline package init(_ action: @escaping @Sendable () -> Void) {
    self.action = Lock(action)
  }

  @usableFromInline package func run() {
    action.withLock { $0.take() }?()
  }

  @usableFromInline package func cancel() {
    _ = action.withLock { $0.take() }
  }
}

/// A cancellable for work in a task.
///
/// A cancel cancels the task and releases the work at once.
///
/// It does not own the task, so releasing it does not cancel the task.
struct TaskWork<Failure: Error>: Cancellable {
  let task: Task<Void, Failure>
  var action: ScheduledAction?

  func cancel() {
    action?.cancel()
    task.cancel()
  }
}
