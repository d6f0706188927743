extension Subscribers {
  /// How a stream ended: it ran to its end, or it failed.
  @frozen public enum Completion<Failure: Error>: Sendable {
    case finished
    case failure(Failure)

    /// The same end, with the failure expressed as another type.
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
