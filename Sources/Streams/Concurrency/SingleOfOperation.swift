extension Single {
  /// Makes a publisher of the result of an asynchronous closure.
  ///
  /// Each subscription runs the closure in a task of its own, and a cancel cancels the task. A
  /// retry is a subscription, so it runs the closure again.
  ///
  /// ```swift
  /// Single { try await client.load(id) }
  /// ```
  ///
  /// - Demand: The task runs at once; its value waits for demand.
  /// - Errors: What the closure throws, with its type.
  /// - Completion: With the value.
  /// - Cancellation: Cancels the task; nothing arrives after that, whatever the closure does then.
  /// - Delivery: In the task, or where demand comes later.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - operation: What gives the value.
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
