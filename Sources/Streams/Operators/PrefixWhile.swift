extension Publisher {
  /// Sends values while they satisfy a predicate, and then finishes.
  ///
  /// ```marble
  /// source: --1--2--3--1--|
  /// prefix { $0 < 3 }
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the first value that does not satisfy the predicate, which also cancels the
  ///   upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread. The first
  ///   false ends the stream.
  @inlinable public func prefix(while predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.PrefixWhile<Self, Failure>
  {
    Publishers.PrefixWhile(through(Publishers.PrefixWhileStage<Output, Failure>(predicate)))
  }

  /// Sends values while they satisfy a predicate that may throw, and then finishes.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryPrefix { if $0 == 3 { throw Refused() }; return true }
  /// result: --1--2--#
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With the first value that does not satisfy the predicate, which also cancels the
  ///   upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread. The first
  ///   false ends the stream.
  @_disfavoredOverload
  @inlinable public func tryPrefix(while predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.PrefixWhile<Self, any Error>
  {
    Publishers.PrefixWhile(Publishers.Staged(self, Publishers.PrefixWhileStage(predicate)) { $0 })
  }

  /// As ``tryPrefix(while:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryPrefix(while predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.PrefixWhile<Self, Failure>
  {
    Publishers.PrefixWhile(through(Publishers.PrefixWhileStage(predicate)))
  }

  /// As ``tryPrefix(while:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryPrefix<NewFailure: Error>(
    while predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.PrefixWhile<Self, NewFailure> where Failure == Never {
    Publishers.PrefixWhile(
      Publishers.Staged(self, Publishers.PrefixWhileStage(predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the values before the first that does not satisfy a predicate.
  @frozen public struct PrefixWhile<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Staged<Upstream, PrefixWhileStage<Upstream.Output, Failure>>

    @inlinable init(_ base: Staged<Upstream, PrefixWhileStage<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that passes values on while they satisfy the predicate, and then finishes.
  @frozen public struct PrefixWhileStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      try predicate(input) ? .pass(input) : .finish
    }
  }
}
