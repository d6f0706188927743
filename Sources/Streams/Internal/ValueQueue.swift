/// Keeps values until the task takes them.
@usableFromInline final class ValueQueue<Input: Sendable, Failure: Error>: Subscriber, Cancellable {
  @usableFromInline typealias Outcome = Result<Input?, Failure>

  @usableFromInline struct State: Sendable {
    @usableFromInline var waiting = FIFO<Input>()
    @usableFromInline var end: Subscribers.Completion<Failure>?
    @usableFromInline var taker: CheckedContinuation<Outcome, Never>?

    @inlinable init() {}
  }

  @usableFromInline let mark = LiveMark(.valueQueue)
  @usableFromInline let demand: Subscribers.Demand
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let state = Lock(State())

  @inlinable init(_ demand: Subscribers.Demand) {
    self.demand = demand
  }

  @inlinable func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(demand) }
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    let taker = state.withLock { state in
      guard let taker = state.taker.take() else {
        state.waiting.append(input)
        return nil as CheckedContinuation<Outcome, Never>?
      }
      return taker
    }
    guard let taker else { return .none }
    taker.resume(returning: .success(input))
    return .max(1)
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    let taker = state.withLock { state in
      guard let taker = state.taker.take() else {
        if state.end == nil { state.end = completion }
        return nil as CheckedContinuation<Outcome, Never>?
      }
      state.end = .finished
      return taker
    }
    taker?.resume(returning: completion.outcome())
  }

  @inlinable func cancel() {
    gate.cancel()
    let (taker, released) = state.withLock { state in
      state.end = .finished
      return (state.taker.take(), state.waiting.takeAll())
    }
    withExtendedLifetime(released) {}
    taker?.resume(returning: .success(nil))
  }

  /// The next value or the end; the task waits only if there is neither.
  @inlinable func next(isolation: isolated (any Actor)?) async -> Outcome {
    if Task.isCancelled { cancel() }
    if let outcome = take(for: nil) { return outcome }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        if let outcome = take(for: continuation) { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      cancel()
    }
  }

  /// What there is; if it is nothing, the taker gets what comes.
  @inlinable func take(for taker: CheckedContinuation<Outcome, Never>?) -> Outcome? {
    let (outcome, mustRequest) = state.withLock { state in
      if let value = state.waiting.popFirst() {
        return (.success(value) as Outcome?, state.end == nil)
      }
      guard let end = state.end else {
        if let taker { state.taker = taker }
        return (nil, false)
      }
      state.end = .finished
      return (end.outcome(), false)
    }
    if mustRequest, demand != .unlimited { gate.current?.request(.max(1)) }
    return outcome
  }
}

extension Subscribers.Completion {
  /// What the task that waits for a value gets instead.
  @inlinable func outcome<Value>() -> Result<Value?, Failure> {
    switch self {
    case .finished: .success(nil)
    case .failure(let error): .failure(error)
    }
  }
}
