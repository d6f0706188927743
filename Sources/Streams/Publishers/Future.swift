/// A promise: work that starts when this is made, and one result for all who ask, then or later.
///
/// It is as eager as Combine's: its closure runs inside `init`, before there is a subscriber, a
/// cancel does not stop it, and a retry meets the same result. Where each subscription should do
/// the work anew, use ``Single``.
///
/// ```marble
/// Future<String, Never> { promise in promise(.success("a")) }
/// result: (a|)
/// ```
///
/// - Demand: The value waits for demand; a failure does not.
/// - Errors: The one the promise is kept with.
/// - Completion: Right after the value.
/// - Cancellation: Ends the wait of this subscriber; the work goes on.
/// - Delivery: Where the promise is kept, or where the subscriber asks if that is later.
/// - Complexity: O(1) for each subscription.
public final class Future<Output: Sendable, Failure: Error>: Publisher {
  /// Keeps the promise.
  ///
  /// Only the first call counts; it may come on any thread.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline typealias Waiter = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline enum State: Sendable {
    case pending(nextID: Int, waiters: [Int: Waiter])
    case kept(Result<Output, Failure>)
  }

  @usableFromInline let state = Lock<State>(.pending(nextID: 0, waiters: [:]))

  /// - Parameter attemptToFulfill: Starts the work, at once, on the calling thread.
  public init(_ attemptToFulfill: @escaping @Sendable (@escaping Promise) -> Void) {
    attemptToFulfill { [self] in keep($0) }
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    let single = SingleValueSubscription.start(for: subscriber)
    guard single.isWaiting else { return }
    single.hold(whenKept { single.resolve($0.map(Optional.some)) })
  }

  @usableFromInline func whenKept(_ waiter: @escaping Waiter) -> any Cancellable {
    let (id, result): (Int?, Result<Output, Failure>?) = state.withLock { state in
      switch state {
      case .kept(let result): return (nil, result)
      case .pending(let id, var waiters):
        waiters[id] = waiter
        state = .pending(nextID: id + 1, waiters: waiters)
        return (id, nil)
      }
    }
    if let result { waiter(result) }
    return AnyCancellable { [self] in if let id { forget(id) } }
  }

  private func keep(_ result: Result<Output, Failure>) {
    let waiters: [Int: Waiter] = state.withLock { state in
      guard case .pending(_, let waiters) = state else { return [:] }
      state = .kept(result)
      return waiters
    }
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter(result) }
  }

  private func forget(_ id: Int) {
    let released: Waiter? = state.withLock { state in
      guard case .pending(let nextID, var waiters) = state else { return nil }
      let waiter = waiters.removeValue(forKey: id)
      state = .pending(nextID: nextID, waiters: waiters)
      return waiter
    }
    withExtendedLifetime(released) {}
  }
}
