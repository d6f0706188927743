import Streams

/// A subscriber that records its signals, and requests on a test's command.
public final class TestSubscriber<Input: Sendable, Failure: Error>: Subscriber, Cancellable {
  /// A signal that a subscriber can receive.
  public enum Signal: Sendable {
    case subscription
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
  }

  private struct State: Sendable {
    var signals: [Signal] = []
    var origins: [SignalOrigin] = []
    var requests: [Subscribers.Demand] = []
    var grants: [Subscribers.Demand] = []
    var open = Subscribers.Demand.none
    var unasked = 0
    var subscription: (any Subscription)?
    var isInside = false
    var overlaps = 0

    mutating func note(_ demand: Subscribers.Demand) {
      requests.append(demand)
      open += demand
    }
  }

  private let initialDemand: Subscribers.Demand
  private let onValue: @Sendable (TestSubscriber, Input) -> Subscribers.Demand
  private let state = Lock(State())

  /// - Parameters:
  ///   - demand: The demand to request when the subscription arrives.
  ///   - onValue: A closure that runs for each value, after it was recorded, and returns the
  ///     additional demand.
  public init(
    demand: Subscribers.Demand = .unlimited,
    onValue: @escaping @Sendable (TestSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    initialDemand = demand
    self.onValue = onValue
    LeakCounter.current?.addTeardown { [weak self] in self?.cancel() }
  }

  /// All signals received so far, in order.
  public var signals: [Signal] { state.withLock { $0.signals } }

  /// The values received so far, in order.
  public var values: [Input] {
    signals.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// The completions received so far, at most one from a publisher that keeps the contract.
  public var completions: [Subscribers.Completion<Failure>] {
    signals.compactMap { if case .completion(let completion) = $0 { completion } else { nil } }
  }

  /// The completion, after it has arrived.
  public var completion: Subscribers.Completion<Failure>? { completions.first }

  /// The failure, if the stream has failed.
  public var failure: Failure? {
    if case .failure(let error) = completion { error } else { nil }
  }

  /// Whether the stream has ended without a failure.
  public var isFinished: Bool {
    if case .finished = completion { true } else { false }
  }

  /// The number of subscriptions received.
  public var subscriptionCount: Int {
    signals.reduce(0) { if case .subscription = $1 { $0 + 1 } else { $0 } }
  }

  /// The number of signals that arrived while another was being received, which is zero if the
  /// contract is kept.
  public var overlaps: Int { state.withLock { $0.overlaps } }

  /// The origins of the ``signals``, in the same order.
  public var origins: [SignalOrigin] { state.withLock { $0.origins } }

  /// The demands requested through the subscription, in order, with the initial demand first.
  public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }

  /// The demands returned for the ``values``, in order.
  public var grants: [Subscribers.Demand] { state.withLock { $0.grants } }

  /// The demand that has not been served yet.
  public var openDemand: Subscribers.Demand { state.withLock { $0.open } }

  /// The number of values that arrived without demand, which is zero if the contract is kept.
  public var unaskedCount: Int { state.withLock { $0.unasked } }

  /// Requests more values.
  public func request(_ demand: Subscribers.Demand) {
    let subscription = state.withLock { state in
      if state.subscription != nil { state.note(demand) }
      return state.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels, and keeps the subscription, so that a test can call it again.
  public func cancel() {
    state.withLock { $0.subscription }?.cancel()
  }

  public func receive(subscription: any Subscription) {
    enter(.subscription)
    let released = state.withLock { state in
      let before = state.subscription
      state.subscription = subscription
      state.note(initialDemand)
      return before
    }
    withExtendedLifetime(released) {}
    subscription.request(initialDemand)
    leave()
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    enter(.value(input))
    defer { leave() }
    let more = onValue(self, input)
    state.withLock { state in
      state.grants.append(more)
      state.open += more
    }
    return more
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    enter(.completion(completion))
    leave()
  }

  private func enter(_ signal: Signal) {
    let origin = SignalOrigin.current
    state.withLock { state in
      state.origins.append(origin)
      if case .value = signal {
        if state.open == .none { state.unasked += 1 }
        state.open -= 1
      }
      if state.isInside { state.overlaps += 1 }
      // Values may arrive from inside the request that `receive(subscription:)` makes.
      if case .subscription = signal {} else { state.isInside = true }
      state.signals.append(signal)
    }
  }

  private func leave() {
    state.withLock { $0.isInside = false }
  }
}

extension Subscribers.Completion<any Error>? {
  /// Returns whether two completions of streams with `any Error` are equal.
  ///
  /// A test can thus use `#expect(subscriber.completion == .finished)`.
  ///
  /// Two failures are equal if they have the same type, the type is `Equatable`, and the values are
  /// equal. Errors of a type that is not `Equatable` are never equal. Check `failure` instead.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil), (.finished?, .finished?): true
    case (.failure(let left as any Equatable)?, .failure(let right)?): left.equals(right)
    default: false
    }
  }

  /// Returns whether two completions of streams with `any Error` differ.
  public static func != (lhs: Self, rhs: Self) -> Bool { !(lhs == rhs) }
}

extension Equatable {
  fileprivate func equals(_ other: any Error) -> Bool { self == other as? Self }
}

extension Publisher {
  /// Subscribes a new ``TestSubscriber``.
  ///
  /// ```swift
  /// let orders = api.orders().testSubscriber()
  /// #expect(orders.values.count == 2)
  /// ```
  ///
  /// - Parameter demand: The demand to request when the subscription arrives.
  public func testSubscriber(
    demand: Subscribers.Demand = .unlimited
  ) -> TestSubscriber<Output, Failure> {
    let subscriber = TestSubscriber<Output, Failure>(demand: demand)
    subscribe(subscriber)
    return subscriber
  }
}
