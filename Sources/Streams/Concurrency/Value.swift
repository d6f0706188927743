extension Publisher {
  /// The one value of this publisher.
  ///
  /// It subscribes, waits for the end, and returns the value. See ``firstValue`` to take the first
  /// of many, and ``allValues`` for all of them.
  ///
  /// - Demand: Asks for two values, to see whether there is a second one.
  /// - Errors: Throws the publisher's failure; ``SingleValueError`` where there is no value or a
  ///   second one; `CancellationError` where the task is cancelled.
  /// - Completion: Returns at the end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, whatever races.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1).
  @inlinable public var value: Output {
    get async throws {
      let single = Publishers.Folded(self, SingleValueFold()) { $0 }
      guard let value = try await single.onlyValue() else { throw SingleValueError.noValue }
      return value
    }
  }
}

/// Why an awaited publisher gave no single value.
public enum SingleValueError: Error, Sendable, Equatable, CustomStringConvertible {
  case noValue
  case moreThanOneValue

  public var description: String {
    switch self {
    case .noValue:
      "The publisher finished without a value: `value` waits for exactly one."
    case .moreThanOneValue:
      "The publisher gave a second value: `value` takes exactly one; use `values` for more."
    }
  }
}

/// Takes one value and no second one.
@frozen @usableFromInline struct SingleValueFold<Input: Sendable>: Publishers.Fold {
  @usableFromInline var value: Input?

  @inlinable init() {}

  @inlinable var demand: Subscribers.Demand { .max(2) }

  @inlinable mutating func receive(_ input: Input) throws(any Error) -> Bool {
    guard value == nil else { throw SingleValueError.moreThanOneValue }
    value = input
    return true
  }

  @inlinable mutating func result() throws(any Error) -> Input? { value }
}
