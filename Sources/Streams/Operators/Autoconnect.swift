extension ConnectablePublisher {
  /// Connects when the first subscriber arrives, and disconnects when the last one has left.
  ///
  /// If several subscribers arrive at the same time, one of them connects. If all leave while the
  /// connection is being made, it is cancelled as soon as it exists. After the connection has ended
  /// by itself, the next subscriber connects again.
  ///
  /// ```marble
  /// source: --1--2--|
  /// makeConnectable().autoconnect()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Leaves the upstream. The last subscriber's cancel also ends the connection.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func autoconnect() -> Publishers.Autoconnect<Self> {
    Publishers.Autoconnect(upstream: self)
  }
}

extension Publishers {
  /// A publisher that connects its upstream while it has subscribers.
  public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    @usableFromInline let state = Lock(AutoconnectState())
    @usableFromInline let connecting = Trampoline()

    @inlinable public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive { run in
        let (round, released) = state.withLock { $0.enter(run) }
        withExtendedLifetime(released) {}
        return HandleEvents<Upstream>.Inner(
          downstream: subscriber,
          events: upstream.handleEvents(
            receiveCompletion: { [self] _ in end(round) },
            receiveCancel: { [self] in leave(round) }))
      }
      adjust()
    }

    /// Makes and ends connections, one thread at a time, until the subscribers of the last round
    /// have theirs, and nobody has one without subscribers.
    @inlinable func adjust() {
      connecting.drain(state, next: { $0.next() }) { step in
        switch step {
        case .connect(let round):
          let connection = upstream.connect()
          if !state.withLock({ $0.keep(connection, for: round) }) { connection.cancel() }
        case .disconnect(let connection):
          connection.cancel()
        }
      }
    }

    @inlinable func leave(_ round: Int?) {
      if state.withLock({ $0.leave(round) }) { adjust() }
    }

    @inlinable func end(_ round: Int?) {
      let released = state.withLock { $0.end(round) }
      withExtendedLifetime(released) {}
    }
  }
}

/// The subscribers of an autoconnected publisher, and their connection.
///
/// A round lasts from the first subscriber until the last one leaves or the stream ends. Each round
/// has its own connection.
@usableFromInline struct AutoconnectState: Sendable {
  @usableFromInline enum Step: Sendable {
    /// Connect, and offer the connection to ``keep(_:for:)``.
    case connect(round: Int)
    case disconnect(any Cancellable)
  }

  @usableFromInline var round = 0
  @usableFromInline var subscribers = 0
  /// The upstream's run that the round takes part in, or nil if the upstream has no runs.
  @usableFromInline var run: Int?
  @usableFromInline var hasRunEnded = false
  @usableFromInline var connection: (any Cancellable)?
  /// The connection of a round that all have left, until it is ended.
  ///
  /// The next connection is made after that, so there is one at most.
  @usableFromInline var left: (any Cancellable)?

  @inlinable init() {}

  /// Counts a subscriber.
  ///
  /// A subscriber of a later run begins a round, even before the subscribers of the previous run
  /// have received its end. A subscriber of a run that is over gets the end anyway, and does not
  /// count.
  ///
  /// - Returns: The round, or nil for a subscriber that does not count, and the connection of the
  ///   previous run.
  @usableFromInline
  mutating func enter(_ run: Int?) -> (round: Int?, released: (any Cancellable)?) {
    var released: (any Cancellable)?
    if let run, let known = self.run {
      guard run > known || (run == known && !hasRunEnded) else { return (nil, nil) }
      if run > known {
        subscribers = 0
        released = connection.take()
      }
    }
    self.run = run
    hasRunEnded = false
    if subscribers == 0 { round += 1 }
    subscribers += 1
    return (round, released)
  }

  /// Returns the next step, which must be done before the one after it.
  @usableFromInline mutating func next() -> Step? {
    if let left = left.take() { return .disconnect(left) }
    return subscribers > 0 && connection == nil ? .connect(round: round) : nil
  }

  /// Keeps a connection, unless its round is over.
  @usableFromInline mutating func keep(_ made: any Cancellable, for round: Int) -> Bool {
    guard self.round == round, subscribers > 0 else { return false }
    connection = made
    return true
  }

  /// - Returns: Whether there is a connection to end now.
  ///
  ///   One that is being made is ended by the thread that makes it.
  @usableFromInline mutating func leave(_ round: Int?) -> Bool {
    guard self.round == round, subscribers > 0 else { return false }
    subscribers -= 1
    guard subscribers == 0, let connection = connection.take() else { return false }
    left = connection
    return true
  }

  @usableFromInline mutating func end(_ round: Int?) -> (any Cancellable)? {
    guard self.round == round else { return nil }
    subscribers = 0
    hasRunEnded = true
    return connection.take()
  }
}
