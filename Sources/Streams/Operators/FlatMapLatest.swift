extension Publisher {
  /// Turns each value into a publisher, follows the latest one and cancels the previous one.
  ///
  /// It combines `map(_:)` and `switchToLatest()` in one step. A typical use is a search field: a
  /// new word cancels the search for the old one.
  ///
  /// ```marble
  /// child:            ---a--b--|
  /// child subscribed: -^----(!^)
  /// source:           -1----2--------|
  /// flatMapLatest { _ in child }
  /// result:           ----a----a--b--|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The followed publisher gets the downstream's
  ///   unserved demand.
  /// - Errors: The first failure of the upstream or of the followed publisher, at once.
  /// - Completion: When the upstream and the followed publisher have finished.
  /// - Cancellation: Cancels both.
  /// - Delivery: On the followed publisher's thread, one value at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: A closure that makes a publisher from a value, on the upstream's
  ///   thread.
  @inlinable public func flatMapLatest<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapLatest<Child, Self> where Child.Failure == Failure {
    Publishers.FlatMap(self, .latest, transform: transform)
  }

  /// Turns each value into a publisher that cannot fail and follows the latest one.
  ///
  /// As ``flatMapLatest(_:)``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// flatMapLatest { _ in child }
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: The upstream's failure, at once.
  @inlinable public func flatMapLatest<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapLatest<Publishers.SetFailureType<Child, Failure>, Self>
  where Child.Failure == Never {
    flatMapLatest { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Turns each value of a publisher that cannot fail into a publisher and follows the latest one.
  ///
  /// As ``flatMapLatest(_:)``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// flatMapLatest { _ in child }
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: The followed publisher's failure, at once.
  @inlinable public func flatMapLatest<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapLatest<Child, Publishers.SetFailureType<Self, Child.Failure>> {
    setFailureType(to: Child.Failure.self).flatMapLatest(transform)
  }

  /// Turns each value into a publisher and follows the latest one, if neither can fail.
  ///
  /// As ``flatMapLatest(_:)``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// flatMapLatest { _ in child }
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: None.
  @inlinable public func flatMapLatest<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapLatest<Child, Self> where Child.Failure == Never {
    Publishers.FlatMap(self, .latest, transform: transform)
  }
}

extension Publishers {
  /// A publisher that follows the latest of the publishers that its upstream's values are turned
  /// into.
  public typealias FlatMapLatest<Child: Publisher, Upstream: Publisher> = FlatMap<Child, Upstream>
  where Child.Failure == Upstream.Failure
}
