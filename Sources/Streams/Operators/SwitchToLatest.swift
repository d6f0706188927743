extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Follows the publisher that came last; the one before is cancelled.
  ///
  /// Its values that have not been delivered by then are dropped.
  ///
  /// ```marble
  /// child:            ---a--b--|
  /// child subscribed: -^----(!^)
  /// source:           -1----2--------|
  /// map { _ in child }.switchToLatest()
  /// result:           ----a----a--b--|
  /// ```
  ///
  /// The latest publisher is asked for what those before it left unserved:
  ///
  /// ```marble
  /// child:         --a--b|
  /// child demand:  -3---2
  /// source:        -1---2----|
  /// source demand: *
  /// map { _ in child }.switchToLatest()
  /// demand:        3
  /// result:        ---a---a--b|
  /// ```
  ///
  /// - Demand: Everything of the upstream; of the publisher that is followed what the downstream
  ///   has left open.
  /// - Errors: The first failure of the upstream or of the publisher that is followed, at once.
  /// - Completion: When the upstream and the publisher that is followed have finished.
  /// - Cancellation: Cancels both.
  /// - Delivery: Where the publisher that is followed delivers, one at a time.
  /// - Complexity: O(1) for each value.
  @inlinable public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.FlatMap(self, .latest) { $0 }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Follows the publisher that came last, of publishers that cannot fail.
  ///
  /// As ``switchToLatest()``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// map { _ in child }.switchToLatest()
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: The upstream's failure, at once.
  @inlinable public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Publishers.SetFailureType<Output, Failure>,
      Publishers.Map<Self, Publishers.SetFailureType<Output, Failure>>
    >
  {
    map { $0.setFailureType(to: Failure.self) }.switchToLatest()
  }
}

extension Publisher where Failure == Never, Output: Publisher {
  /// Follows the publisher that came last, of an upstream that cannot fail.
  ///
  /// As ``switchToLatest()``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// map { _ in child }.switchToLatest()
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: The failure of the publisher that is followed, at once.
  @inlinable public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Output, Publishers.SetFailureType<Self, Output.Failure>
    >
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Follows the publisher that came last, where neither can fail.
  ///
  /// As ``switchToLatest()``.
  ///
  /// ```marble
  /// child:  ---a--b--|
  /// source: -1----2--------|
  /// map { _ in child }.switchToLatest()
  /// result: ----a----a--b--|
  /// ```
  ///
  /// - Errors: None.
  @inlinable public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.FlatMap(self, .latest) { $0 }
  }
}

extension Publishers {
  /// A publisher that follows the publisher that its upstream sent last.
  public typealias SwitchToLatest<Child: Publisher, Upstream: Publisher> = FlatMap<Child, Upstream>
  where Upstream.Output == Child, Upstream.Failure == Child.Failure
}
