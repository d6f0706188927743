/// A publisher of one value that work of your own brings, lazily, and that a cancel stops.
///
/// The work starts anew for each subscriber, when it subscribes: a retry runs it again. To start at
/// once and share one result, there is ``Future``.
///
/// ```swift
/// Single<Data, any Error> { resolve in
///   let task = start { result in resolve(result) }
///   return AnyCancellable { task.stop() }
/// }
/// ```
///
/// ```marble
/// Single<String, Never> { resolve in
///   scheduler.schedule(after: .milliseconds(20)) { resolve(.success("a")) }
/// }
/// result: --(a|)
/// ```
///
/// - Demand: The work begins with the subscription; its value waits for demand, a failure does not.
/// - Errors: The one the work resolves with.
/// - Completion: Right after the value.
/// - Cancellation: Cancels the work; what it brings after that is ignored.
/// - Delivery: Where the work resolves, or where the subscriber asks if that is later.
/// - Complexity: O(1) for each subscription.
public struct Single<Output: Sendable, Failure: Error>: Publisher {
  /// Brings the result.
  ///
  /// Only the first call counts; it may come on any thread.
  public typealias Resolve = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline let start: @Sendable (@escaping Resolve) -> any Cancellable

  /// - Parameter start: Begins the work on the subscribing thread and returns what stops it. That is
  ///   released when the work has brought its result, so the closure of an `AnyCancellable` runs then,
  ///   too.
  @inlinable public init(_ start: @escaping @Sendable (@escaping Resolve) -> any Cancellable) {
    self.start = start
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    let single = SingleValueSubscription.start(for: subscriber)
    guard single.isWaiting else { return }
    single.hold(start { single.resolve($0.map(Optional.some)) })
  }
}
