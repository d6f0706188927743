extension Publisher {
  /// Sends each value and, recursively, the values of the publisher that each value is turned into.
  ///
  /// Use it to fetch pages: the transform turns a page into the request for the next page, and the
  /// last page into `Empty`. One publisher runs at a time, in the order of the values that they are
  /// made from. A publisher starts only when there is demand for its values, so a page is not
  /// fetched before it is requested. Only `Empty`, `Fail`, and the publisher of nil or of an empty
  /// collection do not wait for demand. So the stream ends right after the last page, if the last
  /// page is turned into one of them, as it is or with its type hidden by `eraseToAnyPublisher()`
  /// of `Empty` or `Fail`. The stack does not grow with the number of publishers.
  ///
  /// ```marble
  /// source: -1-|
  /// expand { Publishers.Sequence([$0 * 2]).filter { $0 < 5 } }
  /// result: -1-(24|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The failure of the upstream or of one of the publishers.
  /// - Completion: When the upstream and all the publishers have finished.
  /// - Cancellation: Cancels the publisher that runs, and releases the values that wait for their
  ///   turn.
  /// - Delivery: On the thread of the publisher that runs.
  /// - Complexity: O(1) for each value. Values wait for their turn; in paging, at most one does.
  ///
  /// - Parameter transform: A closure that makes a publisher from a value when the value's turn
  ///   comes, with or without demand.
  @inlinable public func expand<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.Expand<Self, Child> where Child.Output == Output, Child.Failure == Failure {
    Publishers.Expand(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of values and, recursively, of the values that each of them leads to.
  @frozen public struct Expand<Upstream: Publisher, Child: Publisher>: Publisher
  where Child.Output == Upstream.Output, Child.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let transform: @Sendable (Output) -> Child

    @inlinable public init(upstream: Upstream, transform: @escaping @Sendable (Output) -> Child) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      ExpandDriver.start(upstream, for: subscriber, transform: transform)
    }
  }
}
