extension Publisher {
  /// The single value of this publisher.
  ///
  /// It subscribes, waits for the end and returns the value. Use ``firstValue`` for the first of
  /// many values, and ``allValues`` for all of them.
  ///
  /// - Demand: Requests two values, to detect a second one.
  /// - Errors: Throws the publisher's failure. Throws ``SingleValueError`` if there is no value or
  ///   a second one. Throws `CancellationError` if the task is cancelled.
  /// - Completion: Returns at the end.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, in any race.
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

/// The reason why an awaited publisher gave no single value.
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

/// A fold that takes one value and fails at a second one.
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
    return try await withTaskCancellationHandler {
      receive(subscriber: queue)
      return switch await queue.next(isolation: nil) {
      case .value(let value): value
      case .end(.finished): nil
      case .end(.failure(let error)): throw error
      case .cancelled: throw CancellationError()
      }
    } onCancel: {
      queue.cancel()
    }
  }
}

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
