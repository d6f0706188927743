extension Publisher {
  /// Turns a value into a publisher and follows it to its end, and drops values that arrive
  /// meanwhile.
  ///
  /// Use it for work that must not start again while it runs, such as a form that a button sends.
  ///
  /// ```marble
  /// source:           -1--2----3-----|
  /// child:            ---a--b|
  /// child subscribed: -^-------^
  /// flatMapFirst { _ in child }
  /// result:           ----a--b----a--b|
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
  ///   thread. It does not run for dropped values.
  @inlinable public func flatMapFirst<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapFirst<Child, Self> where Child.Failure == Failure {
    Publishers.FlatMap(self, .first, transform: transform)
  }

  /// Turns a value into a publisher that cannot fail and follows it to its end.
  ///
  /// As ``flatMapFirst(_:)``.
  ///
  /// ```marble
  /// source: -1--2----3-----|
  /// child:  ---a--b|
  /// flatMapFirst { _ in child }
  /// result: ----a--b----a--b|
  /// ```
  ///
  /// - Errors: The upstream's failure, at once.
  @inlinable public func flatMapFirst<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapFirst<Publishers.SetFailureType<Child, Failure>, Self>
  where Child.Failure == Never {
    flatMapFirst { transform($0).setFailureType(to: Failure.self) }
  }
}

extension Publisher where Failure == Never {
  /// Turns a value of a publisher that cannot fail into a publisher and follows it to its end.
  ///
  /// As ``flatMapFirst(_:)``.
  ///
  /// ```marble
  /// source: -1--2----3-----|
  /// child:  ---a--b|
  /// flatMapFirst { _ in child }
  /// result: ----a--b----a--b|
  /// ```
  ///
  /// - Errors: The followed publisher's failure, at once.
  @inlinable public func flatMapFirst<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapFirst<Child, Publishers.SetFailureType<Self, Child.Failure>> {
    setFailureType(to: Child.Failure.self).flatMapFirst(transform)
  }

  /// Turns a value into a publisher and follows it to its end, if neither can fail.
  ///
  /// As ``flatMapFirst(_:)``.
  ///
  /// ```marble
  /// source: -1--2----3-----|
  /// child:  ---a--b|
  /// flatMapFirst { _ in child }
  /// result: ----a--b----a--b|
  /// ```
  ///
  /// - Errors: None.
  @inlinable public func flatMapFirst<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapFirst<Child, Self> where Child.Failure == Never {
    Publishers.FlatMap(self, .first, transform: transform)
  }
}

extension Publishers {
  /// A publisher that follows, to its end, one of the publishers that its upstream's values are
  /// turned into.
  public typealias FlatMapFirst<Child: Publisher, Upstream: Publisher> = FlatMap<Child, Upstream>
  where Child.Failure == Upstream.Failure
}
