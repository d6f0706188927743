extension Publisher {
  /// The first value of this publisher, or nil if it finishes without one.
  ///
  /// - Demand: Asks for one value.
  /// - Errors: Throws the publisher's failure if it comes before a value; `CancellationError` where
  ///   the task is cancelled.
  /// - Completion: Returns with the first value, and cancels; or at the end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, whatever races.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1).
  public var firstValue: Output? {
    get async throws {
      try await FoldWait.result(of: FirstValueFold(), over: self, demand: .max(1))
    }
  }
}

/// Takes the first value.
private struct FirstValueFold<Input: Sendable>: Fold {
  var value: Input?

  mutating func receive(_ input: Input) throws -> Bool {
    value = input
    return false
  }

  mutating func result() throws -> Input? { value }
}
