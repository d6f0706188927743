extension Publisher {
  /// Passes on each value, and all the values of the publishers that the values, those included,
  /// are turned into.
  ///
  /// It fetches what is paged: the transform makes the request of the next page from a page, and
  /// `Empty` from the last. One publisher runs at a time, in the order of the values that they were
  /// made of, and only when there is demand for its values: a page is not fetched before it is
  /// asked for. Any number of them needs the stack of one.
  ///
  /// ```marble
  /// source: -1-|
  /// expand { [$0 * 2].publisher.filter { $0 < 5 } }
  /// result: -1-(24|)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure, or that of one of the publishers.
  /// - Completion: When the upstream and all the publishers have finished.
  /// - Cancellation: Cancels whichever runs, and releases the values that wait for their turn.
  /// - Delivery: Where each publisher delivers.
  /// - Complexity: O(1) for each value; values wait for their turn, one or none in paging.
  ///
  /// - Parameter transform: Makes a publisher of each value, once its turn comes.
  @inlinable public func expand<Child: Publisher>(
    _ transform: @escaping @Sendable (Output) -> Child
  ) -> Publishers.Expand<Self, Child> where Child.Output == Output, Child.Failure == Failure {
    Publishers.Expand(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// A publisher of values and of what each of them leads to.
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
