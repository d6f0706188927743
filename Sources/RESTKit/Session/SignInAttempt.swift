import Streams

/// A running sign-in, until another one or the app itself supersedes it.
final class SignInAttempt: Sendable, Cancellable {
  private let ending = CurrentValueSubject<Bool, Never>(false)

  /// Ends the attempt, since another sign-in supersedes it.
  func cancel() { ending.send(true) }

  /// Returns a publisher without values that fails once another sign-in has superseded this one.
  func ending<Output: Sendable>(_ type: Output.Type) -> AnyPublisher<Output, any Error> {
    ending.filter { $0 }
      .tryMap { _ -> Output in throw SignInError.superseded }
      .eraseToAnyPublisher()
  }
}
