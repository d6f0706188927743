extension Publisher where Output: Publisher, Output.Failure == Failure {
  /// Follows the latest publisher and cancels the previous one.
  ///
  /// Values of the previous publisher that have not been delivered are dropped.
  ///
  /// ```marble
  /// child:            ---a--b--|
  /// child subscribed: -^----(!^)
  /// source:           -1----2--------|
  /// map { _ in child }.switchToLatest()
  /// result:           ----a----a--b--|
  /// ```
  ///
  /// The latest publisher gets the demand that the previous ones left unserved:
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
  /// - Demand: Requests everything from the upstream. The followed publisher gets the downstream's
  ///   unserved demand.
  /// - Errors: The first failure of the upstream or of the followed publisher, at once.
  /// - Completion: When the upstream and the followed publisher have finished.
  /// - Cancellation: Cancels both.
  /// - Delivery: On the followed publisher's thread, one value at a time.
  /// - Complexity: O(1) for each value.
  @inlinable public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
    Publishers.FlatMap(self, .latest) { $0 }
  }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
  /// Follows the latest publisher, for publishers that cannot fail.
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
  /// Follows the latest publisher, for an upstream that cannot fail.
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
  /// - Errors: The followed publisher's failure, at once.
  @inlinable public func switchToLatest()
    -> Publishers.SwitchToLatest<
      Output, Publishers.SetFailureType<Self, Output.Failure>
    >
  {
    setFailureType(to: Output.Failure.self).switchToLatest()
  }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
  /// Follows the latest publisher, if neither it nor the upstream can fail.
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
  /// A publisher that follows the latest publisher that its upstream sent.
  public typealias SwitchToLatest<Child: Publisher, Upstream: Publisher> = FlatMap<Child, Upstream>
  where Upstream.Output == Child, Upstream.Failure == Child.Failure
}
