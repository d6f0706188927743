/// A queue that keeps values until a task takes them, and tasks until a value arrives, both in
/// order.
@usableFromInline
final class ValueQueue<Input: Sendable, Failure: Error>: Subscriber, RepeatableCancellable {
  /// What a task gets that asks for a value.
  @usableFromInline enum Outcome: Sendable {
    case value(Input)
    case end(Subscribers.Completion<Failure>)
    /// The rest of the values does not come.
    case cancelled
  }

  @usableFromInline struct State: Sendable {
    @usableFromInline var waiting = FIFO<Input>()
    /// What a task gets when no value waits; nil while more values may come.
    @usableFromInline var end: Outcome?
    @usableFromInline var takers = FIFO<CheckedContinuation<Outcome, Never>>()
    /// The closures of the sources that wait until all values are taken.
    @usableFromInline var held: [@Sendable () -> Void] = []

    @inlinable init() {}

    /// Takes out the closures of the sources that may continue now.
    @inlinable mutating func takeHeld() -> [@Sendable () -> Void] {
      guard !held.isEmpty, waiting.isEmpty else { return [] }
      defer { held = [] }
      return held
    }
  }

  @usableFromInline let mark = LeakMark("valueQueue")
  @usableFromInline let demand: Subscribers.Demand
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let state = Lock(State())

  @inlinable init(_ demand: Subscribers.Demand) {
    self.demand = demand
  }

  /// The context with this queue, if it requests a limited number of values ahead.
  ///
  /// If values are requested one by one, nothing large can wait. A subscriber that requests
  /// everything wants everything.
  @usableFromInline var context: SubscriptionContext {
    guard demand > 1, demand != .unlimited else { return SubscriptionContext() }
    return SubscriptionContext().setting(ReadAheadKey.self, to: self)
  }

  @inlinable func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(demand) }
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    let taker = state.withLock { state in
      guard let taker = state.takers.popFirst() else {
        // A cancel on another thread may have come after the check of the gate.
        if state.end == nil { state.waiting.append(input) }
        return nil as CheckedContinuation<Outcome, Never>?
      }
      return taker
    }
    guard let taker else { return .none }
    taker.resume(returning: .value(input))
    return .max(1)
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    let (waiting, released) = state.withLock { state in
      if state.end == nil { state.end = .end(state.takers.isEmpty ? completion : .finished) }
      defer { state.held = [] }
      return (state.takers.takeAll(), state.held)
    }
    withExtendedLifetime(released) {}
    var takers = waiting
    takers.popFirst()?.resume(returning: .end(completion))
    Self.dismiss(takers, with: .end(.finished))
  }

  @inlinable func cancel() {
    gate.cancel()
    let (takers, released) = state.withLock { state in
      let released = (state.waiting, state.end, state.held)
      // A stream whose values were all taken has its own end.
      if state.end == nil || !state.waiting.isEmpty { state.end = .cancelled }
      state.waiting = FIFO()
      state.held = []
      return (state.takers.takeAll(), released)
    }
    withExtendedLifetime(released) {}
    Self.dismiss(takers, with: .cancelled)
  }

  /// Tells tasks that no more values arrive.
  @usableFromInline static func dismiss(
    _ takers: FIFO<CheckedContinuation<Outcome, Never>>, with outcome: Outcome
  ) {
    var takers = takers
    while let taker = takers.popFirst() { taker.resume(returning: outcome) }
  }

  /// Returns the next value or the end.
  ///
  /// The task waits only if there is neither.
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

  /// Returns a waiting value or the end.
  ///
  /// If there is neither, the taker gets the next one.
  @inlinable func take(for taker: CheckedContinuation<Outcome, Never>?) -> Outcome? {
    let (outcome, mustRequest, held) = state.withLock { state in
      if let value = state.waiting.popFirst() {
        return (.value(value) as Outcome?, state.end == nil, state.takeHeld())
      }
      guard let end = state.end else {
        if let taker { state.takers.append(taker) }
        return (nil, false, [])
      }
      // A failure goes to one task.
      if case .end = end { state.end = .end(.finished) }
      return (end, false, [])
    }
    if mustRequest, demand != .unlimited { gate.current?.request(.max(1)) }
    for goOn in held { goOn() }
    return outcome
  }
}

extension ValueQueue: ReadAhead {
  package func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard !state.waiting.isEmpty, state.end == nil else { return false }
      state.held.append(whenTaken)
      return true
    }
  }
}

/// A holder of values that wait to be taken, in the context of its subscription.
///
/// A task requests many values ahead, so that it seldom waits. It does not know how large they are.
/// A source that knows checks this object before it sends more, through any stages in between.
package protocol ReadAhead: AnyObject, Sendable {
  /// Whether values wait to be taken.
  ///
  /// - Parameter whenTaken: A closure that runs once, when no value waits any more, if the result
  ///   is true. It never runs after the consumer of the values has left.
  func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool
}

package enum ReadAheadKey: SubscriptionContextKey {
  package static var defaultValue: (any ReadAhead)? { nil }
}
