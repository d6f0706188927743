/// Runs work once for all who ask for the same thing at the same time.
///
/// The first caller of a key starts a run; those who come while it runs share it: its values (from
/// the first on), its end and its failure. The next caller after the end starts a new run.
///
/// A caller that cancels leaves the others alone. When all have left, the run is cancelled, and the
/// next caller starts a new one.
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

  /// A publisher that joins the run of a key when it is subscribed, or starts one.
  ///
  /// Values arrive where the run delivers; those that a late caller has missed, where it asks for
  /// them. All values of a run are kept until it ends, so a run is to be short: a request, not a
  /// feed.
  ///
  /// - Parameters:
  ///   - key: What to share by. Its `==` and `hash` must not call back into this object.
  ///   - start: Makes the publisher to run, where the first caller subscribes; not called for those
  ///     who share its run.
  @inlinable public func publisher<Run: Publisher>(
    for key: Key, start: @escaping @Sendable () -> Run
  ) -> AnyPublisher<Output, Failure> where Run.Output == Output, Run.Failure == Failure {
    AnyPublisher { [runs] subscriber in
      runs.join(key, subscriber) { start().receive(subscriber: $0) }
    }
  }
}
