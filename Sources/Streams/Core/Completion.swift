extension Subscribers {
  /// The end of a stream: a normal end or a failure.
  @frozen public enum Completion<Failure: Error>: Sendable {
    case finished
    case failure(Failure)

    /// Returns the same completion with its failure converted to another type.
    @inlinable func mapFailure<NewFailure: Error>(
      _ transform: (Failure) -> NewFailure
    ) -> Completion<NewFailure> {
      switch self {
      case .finished: .finished
      case .failure(let error): .failure(transform(error))
      }
    }
  }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// A signal of a stream as a value: one of the stream's values, or its completion.
@frozen public enum Signal<Value: Sendable, Failure: Error>: Sendable {
  case value(Value)
  case completion(Subscribers.Completion<Failure>)
}

extension Signal: Equatable where Value: Equatable, Failure: Equatable {}
extension Signal: Hashable where Value: Hashable, Failure: Hashable {}

/// Returns the value that would follow from a failure that cannot happen.
@inlinable package func impossible<Value>(_ never: Never) -> Value {}
