extension Subscribers {
  /// The end of a stream: a normal end or a failure.
  @frozen public enum Completion<Failure: Error>: Sendable {
    case finished
    case failure(Failure)

    /// Returns the same completion with its failure converted to another type.
    @inlinable package func mapFailure<NewFailure: Error>(
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
