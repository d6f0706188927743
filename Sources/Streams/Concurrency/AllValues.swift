extension Publisher {
  /// All values of this publisher, in order, once it has finished.
  ///
  /// - Demand: Asks for everything.
  /// - Errors: Throws the publisher's failure, without the values; `CancellationError` where the
  ///   task is cancelled.
  /// - Completion: Returns at the end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, whatever races.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1) for each value; it keeps them all.
  @inlinable public var allValues: [Output] {
    get async throws {
      try await collect().onlyValue() ?? []
    }
  }
}
