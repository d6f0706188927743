import Streams

/// A sign-in under way, until another one, or the app itself, takes its place.
final class SignInAttempt: Sendable, Cancellable {
  private let ending = CurrentValueSubject<Bool, Never>(false)

  /// Another sign-in takes its place.
  func cancel() { ending.send(true) }

  /// Fails once another sign-in has taken its place, and has no values.
  func ending<Output: Sendable>(_ type: Output.Type) -> AnyPublisher<Output, any Error> {
    ending.filter { $0 }
      .tryMap { _ -> Output in throw SignInError.superseded }
      .eraseToAnyPublisher()
  }
}
