extension Publisher {
  /// All values of this publisher, in order, after it has finished.
  ///
  /// - Demand: Requests everything.
  /// - Errors: Throws the publisher's failure, without the values. Throws `CancellationError` if
  ///   the task is cancelled.
  /// - Completion: Returns at the end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, in any race.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1) for each value; it keeps all values.
  @inlinable public var allValues: [Output] {
    get async throws {
      try await collect().onlyValue() ?? []
    }
  }
}
