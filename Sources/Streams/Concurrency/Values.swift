extension Publisher {
  /// An asynchronous sequence of this publisher's values, which throws its failure.
  ///
  /// No value is dropped silently. ``AsyncValues/Buffering`` says what happens if values arrive
  /// faster than they are taken. Each iteration subscribes again.
  ///
  /// A source of large values, such as the chunks of a transfer in RESTKit, may send fewer values
  /// ahead than requested. Its own documentation says how many.
  ///
  /// A loop in a cancelled task throws `CancellationError`, as ``value`` does, so that a part of
  /// the values does not look like all of them. A failure type that cannot hold this error, such as
  /// `Never`, makes the loop end instead: check `Task.isCancelled` after it. With
  /// `setFailureType(to: (any Error).self)` or `mapError { $0 as any Error }` before `values`, the
  /// loop throws. If the publisher has ended and all values were taken before the cancel, the loop
  /// ends with the publisher's end.
  ///
  /// - Demand: As `buffering` says, and one more for each value that is taken.
  /// - Errors: Thrown with their type, after the waiting values. `CancellationError` if the task is
  ///   cancelled, without the waiting values.
  /// - Completion: Ends the loop, after the waiting values.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value. The task waits only if no value does.
  ///
  /// - Parameter buffering: How far the publisher may run ahead.
  @inlinable public func values(
    buffering: AsyncValues<Self>.Buffering = .prefetch(256)
  ) -> AsyncValues<Self> {
    AsyncValues(publisher: self, buffering: buffering)
  }

  /// An asynchronous sequence of this publisher's values, which throws its failure.
  ///
  /// As ``values(buffering:)``, with its default.
  ///
  /// - Demand: Up to 256 values ahead, and one more for each value that is taken.
  /// - Errors: Thrown with their type, after the waiting values. `CancellationError` if the task is
  ///   cancelled, as ``values(buffering:)`` says.
  /// - Completion: Ends the loop, after the waiting values.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value. The task waits only if no value does.
  @inlinable public var values: AsyncValues<Self> { values() }
}

/// An asynchronous sequence of a publisher's values.
@frozen public struct AsyncValues<Upstream: Publisher>: AsyncSequence, Sendable {
  public typealias Element = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// The distance that a publisher may run ahead of the task that takes its values.
  public enum Buffering: Sendable, Equatable {
    /// Requests this number of values ahead, and one more for each value that is taken.
    ///
    /// A publisher that respects demand waits. A subject drops values that are sent beyond the
    /// demand, as it does for any subscriber.
    case prefetch(Int)
    /// Requests everything at once and keeps all values, however many arrive.
    case unbounded

    @inlinable var demand: Subscribers.Demand {
      switch self {
      case .prefetch(let count): .max(Swift.max(count, 1))
      case .unbounded: .unlimited
      }
    }
  }

  @usableFromInline let publisher: Upstream
  @usableFromInline let buffering: Buffering

  @inlinable init(publisher: Upstream, buffering: Buffering) {
    self.publisher = publisher
    self.buffering = buffering
  }

  @inlinable public func makeAsyncIterator() -> Iterator {
    let queue = ValueQueue<Upstream.Output, Upstream.Failure>(buffering.demand)
    publisher.receive(subscriber: queue)
    return Iterator(queue: queue)
  }

  /// An iterator over a publisher's values.
  ///
  /// Releasing it cancels the subscription. Tasks with copies of one iterator share its values.
  /// Each value goes to the one task that asked first, and so does a failure. All tasks get the
  /// end. A cancel of a waiting task cancels the iteration for all, and each of them gets a
  /// `CancellationError`.
  @frozen public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let queue: ValueQueue<Upstream.Output, Upstream.Failure>
    // It is kept so that the subscription ends when the last copy of the iterator is released.
    @usableFromInline let lifetime: AnyCancellable
    /// Whether the cancel was thrown; after that there is only the end.
    @usableFromInline var hasThrownCancel = false

    @inlinable init(queue: ValueQueue<Upstream.Output, Upstream.Failure>) {
      self.queue = queue
      lifetime = AnyCancellable(queue)
    }

    /// Returns the next value, or nil at the end and in every later call.
    ///
    /// - Throws: The publisher's failure, or `CancellationError` after a cancel. If the failure
    ///   type cannot hold a `CancellationError`, a cancel is an end.
    @inlinable public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Upstream.Failure) -> Upstream.Output? {
      switch await queue.next(isolation: actor) {
      case .value(let value): return value
      case .end(.finished): return nil
      case .end(.failure(let error)): throw error
      case .cancelled:
        guard !hasThrownCancel, let error = CancellationError() as? Upstream.Failure else {
          return nil
        }
        hasThrownCancel = true
        throw error
      }
    }

    @inlinable public mutating func next() async throws(Upstream.Failure) -> Upstream.Output? {
      try await next(isolation: nil)
    }
  }
}
