extension Publisher {
  /// Shares one subscription among all subscribers.
  ///
  /// The first subscriber connects; the last to leave disconnects. Nothing is replayed: a late
  /// subscriber gets what comes after it, and one that has not asked for a value when it comes does
  /// not get it. Once the upstream has ended, the next subscriber connects anew, so that a retry
  /// below this reaches the source.
  ///
  /// ```marble
  /// source: --1--2--|
  /// share()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Everything of the upstream; a subscriber that has not asked for a value when it
  ///   comes does not get it.
  /// - Errors: The upstream's failure, to all.
  /// - Completion: When the upstream finishes, to all.
  /// - Cancellation: Leaves the connection; the last to leave cancels the upstream.
  /// - Delivery: Where the upstream delivers, in one order for all.
  /// - Complexity: O(subscribers) for each value.
  @inlinable
  public func share() -> Publishers.Share<Self> {
    Publishers.Share(upstream: self)
  }
}

extension Publishers {
  /// A publisher that shares one subscription to its upstream among all its subscribers.
  public final class Share<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    @usableFromInline let state = Lock<(connection: Connection, subscribers: Int)?>(nil)

    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let (connection, isFirst) = state.withLock { state in
        guard let current = state else {
          let connection = Connection()
          state = (connection, 1)
          return (connection, true)
        }
        state = (current.connection, current.subscribers + 1)
        return (current.connection, false)
      }
      connection.subject
        .handleEvents(receiveCancel: { [self] in leave(connection) })
        .receive(subscriber: subscriber)
      if isFirst { upstream.receive(subscriber: Feed(share: self, connection: connection)) }
    }

    @inlinable
    func leave(_ connection: Connection) {
      let isLast = state.withLock { state in
        guard let current = state, current.connection === connection else { return false }
        state = current.subscribers > 1 ? (connection, current.subscribers - 1) : nil
        return current.subscribers == 1
      }
      if isLast { connection.gate.cancel() }
    }

    @inlinable
    func forget(_ connection: Connection) {
      state.withLock { state in
        if state?.connection === connection { state = nil }
      }
    }

    /// One subscription to the upstream, and those who share it.
    @usableFromInline
    final class Connection: Sendable {
      @usableFromInline let mark = LiveMark(.shareConnection)
      @usableFromInline let gate = UpstreamGate()
      @usableFromInline let subject = PassthroughSubject<Output, Failure>()

      @inlinable init() {}
    }

    /// Feeds the upstream's signals to those who share it.
    @usableFromInline
    struct Feed: Subscriber {
      @usableFromInline typealias Input = Upstream.Output
      @usableFromInline typealias Failure = Upstream.Failure

      @usableFromInline let share: Share
      @usableFromInline let connection: Connection

      @inlinable
      init(share: Share, connection: Connection) {
        self.share = share
        self.connection = connection
      }

      @inlinable
      func receive(subscription: any Subscription) {
        if connection.gate.admit(subscription, for: Self.self) { subscription.request(.unlimited) }
      }

      @inlinable
      func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        if connection.gate.isOpen {
          connection.subject.send(input)
        } else {
          connection.gate.reportStrayValue(for: Self.self)
        }
        return .none
      }

      @inlinable
      func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        guard connection.gate.finish(for: Self.self) else { return }
        share.forget(connection)
        connection.subject.send(completion: completion)
      }
    }
  }
}
