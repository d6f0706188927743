/// Work that a task does: a cancel cancels the task and releases the work at once.
///
/// It does not own the task: dropping this leaves it alone.
struct TaskWork<Failure: Error>: Cancellable {
  let task: Task<Void, Failure>
  var action: ScheduledAction?

  func cancel() {
    action?.cancel()
    task.cancel()
  }
}
