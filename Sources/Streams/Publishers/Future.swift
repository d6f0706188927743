/// A publisher of one result, which starts its work when it is created and shares the result among
/// all subscribers.
///
/// It is as eager as Combine's `Future`: its closure runs inside `init`, before there is a
/// subscriber. A cancel does not stop the work, and a retry gets the same result. To do the work
/// again for each subscription, use ``Single``.
///
/// ```marble
/// Future<String, Never> { promise in promise(.success("a")) }
/// result: (a|)
/// ```
///
/// - Demand: The value waits for demand. A failure does not.
/// - Errors: The failure that the promise is fulfilled with.
/// - Completion: Right after the value.
/// - Cancellation: Ends the wait of this subscriber. The work continues.
/// - Delivery: On the thread that fulfills the promise, or on the thread of a later request.
/// - Complexity: O(1) for each subscription.
public final class Future<Output: Sendable, Failure: Error>: Publisher {
  /// A closure that fulfills the promise.
  ///
  /// Only the first call counts. The call may come on any thread.
  public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline typealias Waiter = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline struct State: Sendable {
    var nextID = 0
    var waiters: [Int: Waiter] = [:]
    var result: Result<Output, Failure>?
  }

  @usableFromInline let state = Lock(State())

  /// - Parameter attemptToFulfill: A closure that starts the work, at once, on the calling thread.
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
      if let result = state.result { return (nil, result) }
      defer { state.nextID += 1 }
      state.waiters[state.nextID] = waiter
      return (state.nextID, nil)
    }
    if let result { waiter(result) }
    return AnyCancellable { [self] in if let id { forget(id) } }
  }

  private func keep(_ result: Result<Output, Failure>) {
    let waiters = state.withLock { state in
      guard state.result == nil else { return [:] as [Int: Waiter] }
      state.result = result
      return exchange(&state.waiters, with: [:])
    }
    for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter(result) }
  }

  private func forget(_ id: Int) {
    let released = state.withLock { $0.waiters.removeValue(forKey: id) }
    withExtendedLifetime(released) {}
  }
}
