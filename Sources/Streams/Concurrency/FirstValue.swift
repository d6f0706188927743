extension Publisher {
  /// The first value of this publisher, or nil if it finishes without one.
  ///
  /// - Demand: Requests one value.
  /// - Errors: Throws the publisher's failure if it comes before a value. Throws
  ///   `CancellationError` if the task is cancelled.
  /// - Completion: Returns with the first value and cancels the subscription, or returns at the
  ///   end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, in any race.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1).
  @inlinable public var firstValue: Output? {
    get async throws {
      try await first().onlyValue()
    }
  }

  /// Waits for the value of a publisher that sends at most one, or for its end.
  @inlinable func onlyValue() async throws -> Output? {
    try Task.checkCancellation()
    let queue = ValueQueue<Output, Failure>(.max(1))
    let value = try await withTaskCancellationHandler {
      receive(subscriber: queue)
      return try await queue.next(isolation: nil).get()
    } onCancel: {
      queue.cancel()
    }
    if value == nil { try Task.checkCancellation() }
    return value
  }
}
