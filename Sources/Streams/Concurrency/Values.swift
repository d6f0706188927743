extension Publisher {
  /// This publisher's values as an asynchronous sequence that throws its failure.
  ///
  /// Nothing is dropped silently: see ``AsyncValues/Buffering`` for what happens when values come
  /// faster than they are taken. Each iteration subscribes anew.
  ///
  /// A source of large values, such as the chunks of a transfer in RESTKit, may give fewer ahead than
  /// were asked for: as many as its own documentation says.
  ///
  /// - Demand: As the buffering says; one more for each value that is taken.
  /// - Errors: Thrown with their type, after the values that wait.
  /// - Completion: Ends the loop, after the values that wait.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value; a task waits only where no value does.
  ///
  /// - Parameter buffering: How far the publisher may run ahead.
  @inlinable public func values(
    buffering: AsyncValues<Self>.Buffering = .prefetch(256)
  ) -> AsyncValues<Self> {
    AsyncValues(publisher: self, buffering: buffering)
  }

  /// This publisher's values as an asynchronous sequence that throws its failure.
  ///
  /// As ``values(buffering:)``, with its default.
  ///
  /// - Demand: Up to 256 values ahead; one more for each value that is taken.
  /// - Errors: Thrown with their type, after the values that wait.
  /// - Completion: Ends the loop, after the values that wait.
  /// - Cancellation: Leaving the loop, or cancelling the task, cancels the subscription.
  /// - Delivery: In the task that iterates.
  /// - Complexity: O(1) for each value; a task waits only where no value does.
  @inlinable public var values: AsyncValues<Self> { values() }
}

/// A publisher's values as an asynchronous sequence.
@frozen public struct AsyncValues<Upstream: Publisher>: AsyncSequence, Sendable {
  public typealias Element = Upstream.Output
  public typealias Failure = Upstream.Failure

  /// How far a publisher may run ahead of the task that takes its values.
  public enum Buffering: Sendable, Equatable {
    /// Asks for so many values ahead, and for more as they are taken. A publisher that waits for
    /// demand waits; a subject that is sent more than that ahead of the task drops the excess, as
    /// it does for any subscriber without demand.
    case prefetch(Int)
    /// Asks for everything at once and keeps whatever comes, however much it is.
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

  /// Takes one value after another.
  ///
  /// Dropping it cancels the subscription. Tasks that have copies of one iterator share its values:
  /// each value goes to one of them, to who asked first, a failure likewise, and the end to all. The
  /// cancel of a task that waits ends it for all.
  @frozen public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let queue: ValueQueue<Upstream.Output, Upstream.Failure>
    // Held so that the subscription ends when the last copy of the iterator goes.
    @usableFromInline let lifetime: AnyCancellable

    @inlinable init(queue: ValueQueue<Upstream.Output, Upstream.Failure>) {
      self.queue = queue
      lifetime = AnyCancellable(queue)
    }

    /// The next value, or nil at the end, after a cancel, and ever after.
    @inlinable public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Upstream.Failure) -> Upstream.Output? {
      try await queue.next(isolation: actor).get()
    }

    @inlinable public mutating func next() async throws(Upstream.Failure) -> Upstream.Output? {
      try await next(isolation: nil)
    }
  }
}
