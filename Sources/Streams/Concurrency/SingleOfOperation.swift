extension Single {
  /// Creates a publisher of the result of an asynchronous closure.
  ///
  /// Each subscription runs the closure in a task of its own, and a cancel cancels the task. A
  /// retry is a new subscription, so it runs the closure again.
  ///
  /// ```swift
  /// Single { try await client.load(id) }
  /// ```
  ///
  /// - Demand: The task starts at once. Its value waits for demand.
  /// - Errors: The closure's error, with its type.
  /// - Completion: With the value.
  /// - Cancellation: Cancels the task. Nothing arrives after that, even if the closure continues.
  /// - Delivery: In the task, or on the thread of a later request.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - operation: The closure that returns the value.
  public init(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { resolve in
      let task = Task(priority: priority) {
        do throws(Failure) {
          resolve(.success(try await operation()))
        } catch {
          resolve(.failure(error))
        }
      }
      return TaskWork(task: task)
    }
  }
}
