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
