extension Publisher {
  /// Turns a value into a publisher and follows it to its end; values that come meanwhile are
  /// dropped.
  ///
  /// For work that must not start again while it runs: a tap on a button that sends a form.
  ///
  /// ```marble
  /// source:           -1--2----3-----|
  /// child:            ---a--b|
  /// child subscribed: -^-------^
  /// flatMapFirst { _ in child }
  /// result:           ----a--b----a--b|
  /// ```
  ///
  /// - Demand: Everything of the upstream; of the publisher that is followed what the downstream
  ///   has left open.
  /// - Errors: The first failure of the upstream or of the publisher that is followed, at once.
  /// - Completion: When the upstream and the publisher that is followed have finished.
  /// - Cancellation: Cancels both.
  /// - Delivery: Where the publisher that is followed delivers, one at a time.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter transform: Makes a publisher of a value, where this publisher delivers; it does
  ///   not run for values that are dropped.
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
  /// - Errors: The failure of the publisher that is followed, at once.
  @inlinable public func flatMapFirst<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.FlatMapFirst<Child, Publishers.SetFailureType<Self, Child.Failure>> {
    setFailureType(to: Child.Failure.self).flatMapFirst(transform)
  }

  /// Turns a value into a publisher and follows it to its end, where neither can fail.
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
  /// A publisher that follows, to its end, one of the publishers that its upstream's values become.
  public typealias FlatMapFirst<Child: Publisher, Upstream: Publisher> = FlatMap<Child, Upstream>
  where Child.Failure == Upstream.Failure
}
