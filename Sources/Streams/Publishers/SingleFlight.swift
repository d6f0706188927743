/// A coordinator that runs work once for all callers that ask for the same key at the same time.
///
/// The first caller of a key starts a run. Callers that arrive during the run share its values
/// (from the first on), its end and its failure. The next caller after the end starts a new run.
///
/// A caller that cancels does not affect the others. When all callers have left, the run is
/// cancelled, and the next caller starts a new one.
///
/// ```swift
/// let flights = SingleFlight<User.ID, User, any Error>()
///
/// func user(_ id: User.ID) -> AnyPublisher<User, any Error> {
///   flights.publisher(for: id) { load(id) }
/// }
/// ```
public final class SingleFlight<Key: Hashable & Sendable, Output: Sendable, Failure: Error>:
  Sendable
{
  @usableFromInline let runs: SharedRuns<Key, Output, Failure>

  public init() {
    runs = SharedRuns(replay: .max, onFinish: .atOnce, onFailure: .atOnce, onEmpty: .atOnce)
  }

  /// Returns a publisher that joins the run of a key when it is subscribed, or starts one.
  ///
  /// Values arrive on the run's thread. The values that a late caller has missed arrive on the
  /// thread of its request. All values of a run are kept until it ends, so a run must be short,
  /// such as a request.
  ///
  /// - Parameters:
  ///   - key: The key to share by. Its `==` and `hash` must not call back into this object.
  ///   - start: A closure that makes the publisher to run, on the thread of the first subscription.
  ///     It is not called for callers that share the run.
  @inlinable public func publisher<Run: Publisher>(
    for key: Key, start: @escaping @Sendable () -> Run
  ) -> AnyPublisher<Output, Failure> where Run.Output == Output, Run.Failure == Failure {
    AnyPublisher { [runs] subscriber in
      runs.join(key, subscriber) { start().receive(subscriber: $0) }
    }
  }
}
