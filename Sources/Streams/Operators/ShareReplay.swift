extension Publisher {
  /// Shares one subscription among all subscribers, replays values to late ones, and says when the
  /// next subscriber connects anew.
  ///
  /// ``share()`` with memory. By default it forgets at once what has ended and whom everybody left,
  /// so that a retry below it reaches the source. A response that is good for a minute is shared by
  /// `share(replay: 1, resetOnFinish: .after(.seconds(60), scheduler: queue))`: who comes within
  /// that time gets the replay and the end.
  ///
  /// ```marble
  /// source:          --1--2--3--|
  /// late subscribed: ---^
  /// share(replay: 1)
  /// result:          --1--2--3--|
  /// late result:     ---1-2--3--|
  /// ```
  ///
  /// - Demand: Everything of the upstream. A subscriber that has not asked for a value when it
  ///   comes gets it later, if it is among those kept when it asks.
  /// - Errors: The upstream's failure, to all.
  /// - Completion: When the upstream finishes, to all.
  /// - Cancellation: Leaves the connection; what becomes of it when nobody is left says
  ///   `resetOnLastLeaving`.
  /// - Delivery: Where the upstream delivers, in one order for all; a replay where it is asked for.
  /// - Complexity: O(subscribers) for each value.
  ///
  /// - Parameters:
  ///   - replay: How many values to keep for late subscribers; none if it is not positive.
  ///   - resetOnFinish: When a connection that has finished is forgotten.
  ///   - resetOnFailure: When a connection that has failed is forgotten.
  ///   - resetOnLastLeaving: When a connection that nobody uses is cancelled and forgotten.
  @inlinable public func share(
    replay: Int,
    resetOnFinish: Publishers.ShareReset = .atOnce,
    resetOnFailure: Publishers.ShareReset = .atOnce,
    resetOnLastLeaving: Publishers.ShareReset = .atOnce
  ) -> Publishers.ShareReplay<Self> {
    Publishers.ShareReplay(
      upstream: self, replay: replay, resetOnFinish: resetOnFinish,
      resetOnFailure: resetOnFailure, resetOnLastLeaving: resetOnLastLeaving)
  }
}

extension Publishers {
  /// A publisher that shares one subscription to its upstream among all its subscribers and replays
  /// values to late ones.
  public struct ShareReplay<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    @usableFromInline let runs: SharedRuns<Int, Output, Failure>

    @inlinable public init(
      upstream: Upstream, replay: Int, resetOnFinish: ShareReset, resetOnFailure: ShareReset,
      resetOnLastLeaving: ShareReset
    ) {
      self.upstream = upstream
      runs = SharedRuns(
        replay: replay, onFinish: resetOnFinish, onFailure: resetOnFailure,
        onEmpty: resetOnLastLeaving)
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      runs.join(0, subscriber) { upstream.receive(subscriber: $0) }
    }
  }
}
