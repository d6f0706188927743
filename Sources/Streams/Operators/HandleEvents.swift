extension Publisher {
  /// Runs closures when signals pass, without changing the signals.
  ///
  /// A cancel from inside a closure is final: the signal that caused the call is not passed on.
  ///
  /// ```marble
  /// source: --1--2--|
  /// handleEvents(receiveOutput: { log($0) })
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread, where the closures run, too. The closures for cancels
  ///   and requests run on the thread that cancels or requests.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - receiveSubscription: A closure that runs before the subscription is passed on.
  ///   - receiveOutput: A closure that runs before each value is passed on.
  ///   - receiveCompletion: A closure that runs before the completion is passed on.
  ///   - receiveCancel: A closure that runs for the first cancel of a stream that has not ended,
  ///     before the cancel is passed up.
  ///   - receiveRequest: A closure that runs for each request before it is passed up, and for the
  ///     demand that the downstream returns for a value.
  @inlinable public func handleEvents(
    receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
    receiveOutput: (@Sendable (Output) -> Void)? = nil,
    receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (@Sendable () -> Void)? = nil,
    receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion, receiveCancel: receiveCancel,
      receiveRequest: receiveRequest)
  }
}

extension Publishers {
  /// A publisher that runs closures when its upstream's signals pass.
  ///
  /// `receiveCancel` runs for the first cancel of a stream that has not ended, and for no other.
  @frozen public struct HandleEvents<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let receiveSubscription: (@Sendable (any Subscription) -> Void)?
    public let receiveOutput: (@Sendable (Output) -> Void)?
    public let receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)?
    public let receiveCancel: (@Sendable () -> Void)?
    public let receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

    @inlinable public init(
      upstream: Upstream,
      receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
      receiveOutput: (@Sendable (Output) -> Void)? = nil,
      receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
      receiveCancel: (@Sendable () -> Void)? = nil,
      receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
      upstream.receive(subscriber: Inner(downstream: subscriber, events: self))
    }

    @frozen @usableFromInline struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
      @usableFromInline let downstream: Downstream
      @usableFromInline let events: HandleEvents
      @usableFromInline let watch: SubscriptionWatch

      @inlinable init(downstream: Downstream, events: HandleEvents) {
        self.downstream = downstream
        self.events = events
        watch = SubscriptionWatch { command in
          switch command {
          case .request(let demand): events.receiveRequest?(demand)
          case .cancel: events.receiveCancel?()
          }
        }
      }

      @inlinable var context: SubscriptionContext { downstream.context }

      @inlinable func receive(subscription: any Subscription) {
        guard watch.gate.admit(subscription, for: Self.self) else { return }
        events.receiveSubscription?(subscription)
        downstream.receive(subscription: ClosureSubscription { [watch] in watch.perform($0) })
      }

      @inlinable func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        guard watch.gate.admitsValue(for: Self.self) else { return .none }
        events.receiveOutput?(input)
        guard watch.gate.isOpen else { return .none }
        let more = downstream.receive(input)
        if more > .none { events.receiveRequest?(more) }
        return more
      }

      @inlinable func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        guard watch.finish(for: Self.self) else { return }
        events.receiveCompletion?(completion)
        if !watch.gate.isCancelled { downstream.receive(completion: completion) }
      }
    }
  }
}
