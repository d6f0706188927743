extension Publisher {
  /// Shares one subscription among all subscribers and replays values to late ones.
  ///
  /// The parameters say when the next subscriber connects again.
  ///
  /// It is ``share()`` with a memory. By default, it forgets a connection at once when the
  /// connection has ended or all subscribers have left, so a retry below this operator reaches the
  /// source. To share a response for a minute, use
  /// `share(replay: 1, resetOnFinish: .after(.seconds(60), scheduler: queue))`. A subscriber that
  /// arrives within that minute gets the replay and the completion.
  ///
  /// ```marble
  /// source:          --1--2--3--|
  /// late subscribed: ---^
  /// share(replay: 1)
  /// result:          --1--2--3--|
  /// late result:     ---1-2--3--|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. A subscriber that has no demand when a value
  ///   arrives gets it later, if the value is still kept at the time of the request.
  /// - Errors: The upstream's failure, for all subscribers.
  /// - Completion: When the upstream finishes, for all subscribers.
  /// - Cancellation: Leaves the connection. `resetOnLastLeaving` says what happens to a connection
  ///   without subscribers.
  /// - Delivery: On the upstream's thread, in the same order for all subscribers. A replay arrives
  ///   on the thread of the request.
  /// - Complexity: O(subscribers) for each value.
  ///
  /// - Parameters:
  ///   - replay: The number of values to keep for late subscribers. A number that is not positive
  ///     means none.
  ///   - resetOnFinish: The time at which a finished connection is forgotten.
  ///   - resetOnFailure: The time at which a failed connection is forgotten.
  ///   - resetOnLastLeaving: The time at which a connection without subscribers is cancelled and
  ///     forgotten.
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
