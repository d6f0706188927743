extension Publisher {
  /// The single value of this publisher, or the reason why there is none, with the type of the
  /// failure.
  ///
  /// It waits as ``value`` does. That throws `any Error`, since a failure, a cancellation and a
  /// missing value have no type in common.
  ///
  /// ```swift
  /// switch await publisher.result {
  /// case .success(let value): show(value)
  /// case .failure(.failure(let error)): show(error)  // with the publisher's own type
  /// case .failure(.cancelled): break
  /// case .failure(.noValue), .failure(.moreThanOneValue): break
  /// }
  /// ```
  ///
  /// `try await publisher.result.get()` throws a ``ValueError`` with its type.
  ///
  /// - Demand: Requests two values, one after the other, to detect a second one.
  /// - Errors: ``ValueError`` in the result.
  /// - Completion: Returns at the end, or with a second value, which cancels the subscription.
  /// - Cancellation: Cancelling the task cancels the subscription. The task is resumed exactly
  ///   once, in any race.
  /// - Delivery: In the waiting task.
  /// - Complexity: O(1).
  @inlinable public var result: Result<Output, ValueError<Failure>> {
    get async {
      guard !Task.isCancelled else { return .failure(.cancelled) }
      let queue = ValueQueue<Output, Failure>(.max(1))
      return await withTaskCancellationHandler {
        receive(subscriber: queue)
        let first: Output
        switch await queue.next(isolation: nil) {
        case .value(let value): first = value
        case .end(.finished): return .failure(.noValue)
        case .end(.failure(let error)): return .failure(.failure(error))
        case .cancelled: return .failure(.cancelled)
        }
        switch await queue.next(isolation: nil) {
        case .value:
          queue.cancel()
          return .failure(.moreThanOneValue)
        case .end(.finished): return .success(first)
        case .end(.failure(let error)): return .failure(.failure(error))
        case .cancelled: return .failure(.cancelled)
        }
      } onCancel: {
        queue.cancel()
      }
    }
  }
}

/// The reason why an awaited publisher gave no single value, with the type of its failure.
///
/// ``Publisher/result`` gives it.
public enum ValueError<Failure: Error>: Error {
  /// The publisher failed.
  case failure(Failure)
  /// The task was cancelled.
  case cancelled
  /// The publisher finished without a value.
  case noValue
  /// The publisher gave a second value.
  case moreThanOneValue
}

extension ValueError: Equatable where Failure: Equatable {}

extension ValueError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .failure(let failure): "\(failure)"
    case .cancelled: "The task was cancelled while it waited for the publisher's value."
    case .noValue: "The publisher finished without a value: `result` waits for exactly one."
    case .moreThanOneValue:
      "The publisher gave a second value: `result` takes exactly one; use `values` for more."
    }
  }
}
