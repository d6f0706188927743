import Streams

/// Those who wait for an exchange, in the order in which they came.
struct SharedExchangeCallers: Sendable {
  // As a rule there is no other.
  private(set) var first: SharedExchangeCaller?
  private(set) var others: [SharedExchangeCaller] = []

  var count: Int { others.count + (first == nil ? 0 : 1) }

  mutating func add(_ caller: SharedExchangeCaller) {
    if first == nil, others.isEmpty { first = caller } else { others.append(caller) }
  }

  /// Lets go of those who have gone: what they got from their users they have given back before that.
  mutating func removeGone() {
    if first?.isGone == true { first = nil }
    others.removeAll { $0.isGone }
  }
}

/// One exchange, and those who wait for its answer.
final class SharedExchange: Subscriber {
  typealias Input = RESTResponse
  typealias Failure = any Error

  private struct State: Sendable {
    var callers = SharedExchangeCallers()
    /// How many have not gone; one more where it goes on for nobody's sake.
    var waiting = 0
    var isHeld = false
    var isOver = false
  }

  let key: SharedRequestKey
  /// That of who began it.
  let context: SubscriptionContext
  private let patience: ExchangePatience?
  private let exchanges: SharedExchanges
  private let gate = UpstreamGate()
  // Changed with the lock of all exchanges held, so that nobody joins what is over.
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

  /// Whether who has so much patience may wait for it.
  func suits(_ other: ExchangePatience?) -> Bool {
    guard let other else { return true }
    return patience.map { other.covers($0) } ?? false
  }

  /// Subscribes the exchange, unless all have gone by now.
  func start(_ work: some SharedWork) {
    guard !gate.isCancelled else { return }
    work.begin().receive(subscriber: self)
  }

  // MARK: Those who wait

  func add(_ subscriber: SharedExchangeCaller.Downstream) -> SharedExchangeCaller {
    let caller = SharedExchangeCaller(subscriber, of: self)
    state.withLock { state in
      state.callers.add(caller)
      state.waiting += 1
    }
    return caller
  }

  /// Goes on to its answer, though all who wait for it go.
  func hold() {
    state.withLock { state in
      guard !state.isHeld else { return }
      state.isHeld = true
      state.waiting += 1
    }
  }

  /// - Returns: Whether that was the last one, and the answer had not come.
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

  /// One of those who wait has gone before the answer.
  func leave() {
    if exchanges.dropCaller(of: self) { gate.cancel() }
  }

  // MARK: The answer

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

  /// Gives all the answer; the first one only.
  private func settle(_ outcome: SharedExchangeCaller.Outcome) {
    let callers = exchanges.takeCallers(of: self)
    if callers.others.isEmpty {
      callers.first?.resolve(outcome)
    } else {
      SharedDelivery(of: outcome, to: (callers.first.map { [$0] } ?? []) + callers.others).run()
    }
  }
}
