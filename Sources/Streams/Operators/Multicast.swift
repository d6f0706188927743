extension Publisher {
  /// Sends one subscription's values to many subscribers through a subject.
  ///
  /// Nothing is sent before a call of ``ConnectablePublisher/connect()``. After the upstream or
  /// the connected subject has ended, the next subscriber or connection gets a new subject, so a
  /// retry reaches the source.
  ///
  /// ```marble
  /// source: --1--2--|
  /// multicast { PassthroughSubject() }.autoconnect()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Requests everything from the upstream. The subject keeps the demand of each
  ///   subscriber.
  /// - Errors: The upstream's failure, through the subject.
  /// - Completion: When the upstream finishes, through the subject.
  /// - Cancellation: A subscriber's cancel does not end the connection. The cancellable from
  ///   ``ConnectablePublisher/connect()`` does.
  /// - Delivery: On the upstream's thread, in the same order for all subscribers.
  /// - Complexity: O(subscribers) for each value.
  ///
  /// - Parameter createSubject: A closure that makes a subject when a subscriber or a connection
  ///   needs one. If two are made at the same time, one of them is used.
  @inlinable public func multicast<SubjectType: Subject>(
    _ createSubject: @escaping @Sendable () -> SubjectType
  ) -> Publishers.Multicast<Self, SubjectType>
  where SubjectType.Output == Output, SubjectType.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Sends one subscription's values to many subscribers through a given subject.
  ///
  /// As ``multicast(_:)``, but the subject stays the same: when it has ended, so has this
  /// publisher.
  ///
  /// ```marble
  /// source: --1--2--|
  /// multicast(subject: PassthroughSubject()).autoconnect()
  /// result: --1--2--|
  /// ```
  ///
  /// - Parameter subject: The subject that takes the upstream's signals and serves the subscribers.
  @inlinable public func multicast<SubjectType: Subject>(
    subject: SubjectType
  ) -> Publishers.Multicast<Self, SubjectType>
  where SubjectType.Output == Output, SubjectType.Failure == Failure {
    multicast { subject }
  }
}

extension Publishers {
  /// A publisher that, after it is connected, sends one subscription's values to many subscribers
  /// through a subject.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where SubjectType.Output == Upstream.Output, SubjectType.Failure == Upstream.Failure {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let createSubject: @Sendable () -> SubjectType
    @usableFromInline let state = Lock(State())

    @usableFromInline struct State: Sendable {
      @usableFromInline var subject: SubjectType?
      @usableFromInline var connection: UpstreamGate?
      /// The number of subjects that have ended, which is the run that the present subject serves.
      @usableFromInline var run = 0

      @inlinable init() {}
    }

    @inlinable
    public init(upstream: Upstream, createSubject: @escaping @Sendable () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      current.subject.receive(subscriber: subscriber)
    }

    @inlinable public func receive<Downstream: Subscriber>(
      makeSubscriber: (_ run: Int?) -> Downstream
    ) where Downstream.Input == Output, Downstream.Failure == Failure {
      let (subject, run) = current
      subject.receive(subscriber: makeSubscriber(run))
    }

    /// Subscribes to the upstream, unless a connection exists.
    ///
    /// - Returns: A cancellable that ends the connection, which is the existing one if there is
    ///   one.
    @inlinable public func connect() -> any Cancellable {
      var connection: any Cancellable = EmptySubscription()
      connect { connection = $0 }
      return connection
    }

    @inlinable public func connect(willStart: (any Cancellable) -> Void) {
      let gate = UpstreamGate()
      let (subject, standing) = join(gate)
      willStart(
        ClosureSubscription { [self] command in
          guard case .cancel = command else { return }
          forget(standing, dropsSubject: false)
          standing.cancel()
        })
      guard standing === gate, !gate.isCancelled else { return }
      upstream.receive(
        subscriber: SubjectFeed(
          gate: gate, subject: subject,
          begin: { _ in subject.send(subscription: self.subscription(of: gate)) },
          willEnd: { [self] _ in forget(gate, dropsSubject: true) }))
    }

    /// The present subject, and the connection that feeds it, which is a new one if there is none.
    @usableFromInline
    func join(_ gate: UpstreamGate) -> (subject: SubjectType, connection: UpstreamGate) {
      while true {
        let subject = current.subject
        let standing: UpstreamGate? = state.withLock { state in
          if let standing = state.connection { return standing }
          // The subject may have ended meanwhile, with the previous connection.
          guard state.subject === subject else { return nil }
          state.connection = gate
          return gate
        }
        if let standing { return (subject, standing) }
      }
    }

    /// The subject for a subscriber that arrives now, and its run.
    @usableFromInline var current: (subject: SubjectType, run: Int) {
      let (subject, run) = state.withLock { ($0.subject, $0.run) }
      if let subject { return (subject, run) }
      let new = createSubject()
      return state.withLock { state in
        let subject = state.subject ?? new
        state.subject = subject
        return (subject, state.run)
      }
    }

    /// The subscription that a connection hands to its subject.
    ///
    /// A subject may end by itself, for example when its inbox is full. It then cancels this
    /// subscription, and the next subscriber needs a new subject. The subject keeps this
    /// subscription after a disconnection, so it must not hold this publisher.
    @usableFromInline func subscription(of gate: UpstreamGate) -> GateSubscription {
      GateSubscription(gate) { [weak self] in self?.forget(gate, dropsSubject: true) }
    }

    /// Releases a connection, and its subject if the subject has ended.
    @usableFromInline func forget(_ gate: UpstreamGate, dropsSubject: Bool) {
      let released = state.withLock { state in
        guard state.connection === gate else { return nil as SubjectType? }
        state.connection = nil
        guard dropsSubject else { return nil }
        state.run += 1
        return state.subject.take()
      }
      withExtendedLifetime(released) {}
    }
  }
}
