import Streams

/// The callers that wait for an exchange, in the order of their arrival.
struct SharedExchangeCallers: Sendable {
  // Usually there is only one.
  private(set) var first: ResponseSubscription?
  private(set) var others: [ResponseSubscription] = []

  var count: Int { others.count + (first == nil ? 0 : 1) }

  mutating func add(_ caller: ResponseSubscription) {
    if first == nil, others.isEmpty { first = caller } else { others.append(caller) }
  }

  /// Removes callers that have cancelled.
  ///
  /// They have already released their users' objects.
  mutating func removeGone() {
    if first?.isCancelled == true { first = nil }
    others.removeAll { $0.isCancelled }
  }
}

/// One exchange, and the callers that wait for its response.
final class SharedExchange: Subscriber {
  typealias Input = RESTResponse
  typealias Failure = any Error

  private struct State: Sendable {
    var callers = SharedExchangeCallers()
    /// The number of waiting callers; one more if the exchange continues without callers.
    var waiting = 0
    var isHeld = false
    var isOver = false
  }

  let key: SharedRequestKey
  /// The context of the first caller.
  let context: SubscriptionContext
  private let patience: ExchangePatience?
  private let exchanges: SharedExchanges
  private let gate = UpstreamGate()
  // It changes only with the lock of all exchanges held, so that no caller joins an ended exchange.
  private let state = Lock(State())

  init(
    _ key: SharedRequestKey, patience: ExchangePatience?, context: SubscriptionContext,
    in exchanges: SharedExchanges
  ) {
    self.key = key
    self.patience = patience
    self.context = context
    self.exchanges = exchanges
  }

  /// Whether a caller with this patience may wait for the exchange.
  func suits(_ other: ExchangePatience?) -> Bool {
    guard let other else { return true }
    return patience.map { other.covers($0) } ?? false
  }

  /// Subscribes to the exchange, unless all callers have cancelled.
  func start(_ work: some SharedWork) {
    guard !gate.isCancelled else { return }
    work.begin().receive(subscriber: self)
  }

  // MARK: Callers

  func add(_ subscriber: ResponseSubscription.Downstream) -> ResponseSubscription {
    let caller = ResponseSubscription(subscriber) { [self] in leave() }
    state.withLock { state in
      state.callers.add(caller)
      state.waiting += 1
    }
    return caller
  }

  /// Continues the exchange to its response, even if all callers cancel.
  func hold() {
    state.withLock { state in
      guard !state.isHeld else { return }
      state.isHeld = true
      state.waiting += 1
    }
  }

  /// - Returns: Whether that was the last caller, before the response.
  func dropCaller() -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.waiting -= 1
      if state.callers.count > 2 * state.waiting + 8 { state.callers.removeGone() }
      guard state.waiting == 0 else { return false }
      state.isOver = true
      state.callers = SharedExchangeCallers()
      return true
    }
  }

  func takeCallers() -> SharedExchangeCallers {
    state.withLock { state in
      state.isOver = true
      return exchange(&state.callers, with: SharedExchangeCallers())
    }
  }

  /// Records that a caller cancelled before the response.
  private func leave() {
    if exchanges.dropCaller(of: self) { gate.cancel() }
  }

  // MARK: The response

  func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(.unlimited) }
  }

  func receive(_ input: RESTResponse) -> Subscribers.Demand {
    if gate.admitsValue(for: Self.self) { settle(.success(input)) }
    return .none
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    guard gate.finish(for: Self.self) else { return }
    switch completion {
    case .finished: settle(.success(nil))
    case .failure(let error): settle(.failure(error))
    }
  }

  /// Delivers the outcome to all callers, once.
  private func settle(_ outcome: ResponseSubscription.Outcome) {
    let callers = exchanges.takeCallers(of: self)
    if callers.others.isEmpty {
      callers.first?.resolve(outcome)
    } else {
      let all = (callers.first.map { [$0] } ?? []) + callers.others
      let delivery = SharedDelivery(of: outcome, to: all, on: exchanges.threads)
      // The timer of a delivery holds it weakly, so it must outlive its run.
      withExtendedLifetime(delivery) { delivery.run() }
    }
  }
}
