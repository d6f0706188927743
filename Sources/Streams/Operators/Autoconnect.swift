extension ConnectablePublisher {
  /// Connects when the first subscriber arrives, and disconnects when the last one has left.
  ///
  /// If several subscribers arrive at the same time, one of them connects. If all leave while the
  /// connection is being made, it is cancelled at once, or as soon as the upstream hands it out.
  /// After the connection has ended by itself, the next subscriber connects again.
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
      var arrived: AutoconnectState.Place?
      upstream.receive { run in
        let (place, released) = state.withLock { $0.enter(run) }
        withExtendedLifetime(released) {}
        arrived = place
        return HandleEvents<Upstream>.Inner(
          downstream: subscriber,
          events: upstream.handleEvents(
            receiveCompletion: { [self] _ in end(place) },
            receiveCancel: { [self] in leave(place) }))
      }
      if let arrived { state.withLock { $0.settle(arrived) } }
      adjust()
    }

    /// Makes and ends connections, one thread at a time, until the subscribers of the last round
    /// have theirs, and nobody has one without subscribers.
    @inlinable func adjust() {
      connecting.drain(state, next: { $0.next() }) { step in
        switch step {
        case .connect(let round):
          upstream.connect { connection in
            if !state.withLock({ $0.keep(connection, for: round) }) { connection.cancel() }
          }
          state.withLock { $0.isConnecting = false }
        case .disconnect(let connection):
          connection.cancel()
        }
      }
    }

    @inlinable func leave(_ place: AutoconnectState.Place?) {
      guard let place else { return }
      perform(state.withLock { $0.leave(place) })
    }

    @inlinable func end(_ place: AutoconnectState.Place?) {
      guard let place else { return }
      perform(state.withLock { $0.end(place) })
    }

    @inlinable func perform(_ departure: AutoconnectState.Departure) {
      switch departure {
      case .none: break
      case .ended(let connection): withExtendedLifetime(connection) {}
      case .left: adjust()
      case .leftConnecting(let connection):
        connection.cancel()
        state.withLock { $0.isCancelling = false }
        adjust()
      }
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

  /// A subscriber that counts.
  @usableFromInline struct Place: Sendable {
    @usableFromInline let number: Int
    /// The round in which it came.
    @usableFromInline let round: Int

    @usableFromInline init(number: Int, round: Int) {
      self.number = number
      self.round = round
    }
  }

  /// What is to be done when a subscriber has left or has its end.
  @usableFromInline enum Departure: Sendable {
    case none
    /// Nothing is left to do with a connection that has ended.
    case ended((any Cancellable)?)
    /// There is a connection to end, in its turn.
    case left
    /// A connection is to be ended while it is being made, on this thread: the source may be
    /// sending without an end.
    case leftConnecting(any Cancellable)
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
  @usableFromInline var isConnecting = false
  /// Whether a thread ends a connection that was being made.
  ///
  /// The next one is made after that.
  @usableFromInline var isCancelling = false
  @usableFromInline var places = 0
  /// The subscribers that are being attached to an upstream without runs, each with whether it has
  /// its end or has left.
  @usableFromInline var arriving: [Int: Bool] = [:]
  /// The later rounds of subscribers whose own round ended while they were attached.
  @usableFromInline var moved: [Int: Int] = [:]

  @inlinable init() {}

  /// Counts a subscriber.
  ///
  /// A subscriber of a later run begins a round, even before the subscribers of the previous run
  /// have received its end. A subscriber of a run that is over gets the end anyway, and does not
  /// count.
  ///
  /// - Returns: The place, or nil for a subscriber that does not count, and the connection of the
  ///   previous run.
  @usableFromInline
  mutating func enter(_ run: Int?) -> (place: Place?, released: (any Cancellable)?) {
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
    count()
    places += 1
    if run == nil { arriving[places] = false }
    return (Place(number: places, round: round), released)
  }

  private mutating func count() {
    if subscribers == 0 { round += 1 }
    subscribers += 1
  }

  /// Counts a subscriber anew whose round ended while it was being attached, unless it has got that
  /// end.
  ///
  /// An upstream without runs does not say whether that end concerns it. If it does after all, the
  /// subscriber leaves its new round then.
  @usableFromInline mutating func settle(_ place: Place) {
    guard arriving.removeValue(forKey: place.number) == false,
      round != place.round || subscribers == 0
    else { return }
    count()
    moved[place.number] = round
  }

  /// Returns the next step, which must be done before the one after it.
  @usableFromInline mutating func next() -> Step? {
    if isCancelling { return nil }
    if let left = left.take() { return .disconnect(left) }
    guard subscribers > 0, connection == nil else { return nil }
    isConnecting = true
    return .connect(round: round)
  }

  /// Keeps a connection, unless its round is over.
  @usableFromInline mutating func keep(_ made: any Cancellable, for round: Int) -> Bool {
    guard self.round == round, subscribers > 0 else { return false }
    connection = made
    return true
  }

  /// One that is being made, and was not handed out, is ended by the thread that makes it.
  @usableFromInline mutating func leave(_ place: Place) -> Departure {
    if arriving[place.number] != nil { arriving[place.number] = true }
    let round = moved.removeValue(forKey: place.number) ?? place.round
    guard self.round == round, subscribers > 0 else { return .none }
    subscribers -= 1
    guard subscribers == 0, let connection = connection.take() else { return .none }
    guard isConnecting else {
      left = connection
      return .left
    }
    isCancelling = true
    return .leftConnecting(connection)
  }

  @usableFromInline mutating func end(_ place: Place) -> Departure {
    // The end may be that of the round before.
    if moved[place.number] != nil { return leave(place) }
    if arriving[place.number] != nil { arriving[place.number] = true }
    guard round == place.round else { return .none }
    subscribers = 0
    hasRunEnded = true
    return .ended(connection.take())
  }
}
