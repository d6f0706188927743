extension Publisher {
  /// Sends the last value that satisfies a predicate, when the publisher finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// last { $0 < 3 }
  /// result: -----------(2|)
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread.
  @inlinable public func last(where predicate: @escaping @Sendable (Output) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    Publishers.LastWhere(through(Publishers.LastWhereFold<Output, Failure>(predicate)))
  }

  /// Sends the last value that satisfies a predicate that may throw, when the publisher finishes.
  ///
  /// An error from the closure ends the stream and cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// tryLast { if $0 == 3 { throw Refused() }; return true }
  /// result: --------#
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The result waits for demand.
  /// - Errors: The closure's error or the upstream's failure, as `any Error`.
  /// - Completion: With the value, if there is one, when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, or on the thread of a later request for the result.
  /// - Complexity: O(1) for each value; holds one value.
  ///
  /// - Parameter predicate: A closure that runs for each value, on the upstream's thread.
  @_disfavoredOverload
  @inlinable public func tryLast(where predicate: @escaping @Sendable (Output) throws -> Bool)
    -> Publishers.LastWhere<Self, any Error>
  {
    Publishers.LastWhere(Publishers.Folded(self, Publishers.LastWhereFold(predicate)) { $0 })
  }

  /// As ``tryLast(where:)``, with a closure that throws the publisher's failure type.
  ///
  /// - Errors: The closure's error or the upstream's failure. The failure type stays the same.
  @inlinable
  public func tryLast(where predicate: @escaping @Sendable (Output) throws(Failure) -> Bool)
    -> Publishers.LastWhere<Self, Failure>
  {
    Publishers.LastWhere(through(Publishers.LastWhereFold(predicate)))
  }

  /// As ``tryLast(where:)``, for a publisher that cannot fail and a closure that throws a typed
  /// error.
  ///
  /// - Errors: The closure's error. Its type becomes the failure type.
  @_disfavoredOverload
  @inlinable public func tryLast<NewFailure: Error>(
    where predicate: @escaping @Sendable (Output) throws(NewFailure) -> Bool
  ) -> Publishers.LastWhere<Self, NewFailure> where Failure == Never {
    Publishers.LastWhere(
      Publishers.Folded(self, Publishers.LastWhereFold(predicate), mapFailure: impossible))
  }
}

extension Publishers {
  /// A publisher of the last value that satisfies a predicate.
  @frozen public struct LastWhere<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Folded<Upstream, LastWhereFold<Upstream.Output, Failure>>

    @inlinable init(_ base: Folded<Upstream, LastWhereFold<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A fold that keeps the latest value that satisfies the predicate.
  @frozen public struct LastWhereFold<Input: Sendable, Failure: Error>: Fold {
    @usableFromInline var last: Input?
    @usableFromInline let predicate: @Sendable (Input) throws(Failure) -> Bool

    @inlinable init(_ predicate: @escaping @Sendable (Input) throws(Failure) -> Bool) {
      self.predicate = predicate
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      if try predicate(input) { last = input }
      return true
    }

    @inlinable public mutating func result() throws(Failure) -> Input? { last.take() }
  }
}
