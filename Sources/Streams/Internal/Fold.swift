/// What an operator makes of all values together: a state machine of value type.
@usableFromInline
protocol Fold<Input, Output, Failure> {
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// Takes a value in.
  ///
  /// - Returns: Whether more are needed to know the result.
  mutating func receive(_ input: Input) throws(Failure) -> Bool

  /// The result, or nil to finish without a value.
  mutating func result() throws(Failure) -> Output?
}

/// Runs a fold between an upstream, which is asked for everything, and a downstream, which gets one
/// value when it asks.
@frozen
@usableFromInline
struct FoldSubscriber<Machine: Fold, Downstream: Subscriber, Failure: Error>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input

  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let fold: Confined<Machine>
  @usableFromInline let single: SingleValueSubscription<Downstream>
  @usableFromInline let mapFailure: @Sendable (Failure) -> Downstream.Failure

  /// - Parameter mapFailure: Expresses the upstream's failure as the downstream's.
  @inlinable
  init(
    _ fold: Machine, downstream: Downstream,
    mapFailure: @escaping @Sendable (Failure) -> Downstream.Failure
  ) {
    self.fold = Confined(fold)
    single = SingleValueSubscription(downstream)
    self.mapFailure = mapFailure
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    single.hold(gate)
    single.handOver()
    subscription.request(.unlimited)
  }

  @inlinable
  func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard gate.isOpen else {
      gate.reportStrayValue(for: Self.self)
      return .none
    }
    let step = fold.access { fold in
      Result { () throws(Machine.Failure) in
        try fold.receive(input) ? nil : Outcome(value: fold.result())
      }
    }
    switch step {
    case .success(nil): break
    case .success(let outcome?): if gate.abort() { single.resolve(.success(outcome.value)) }
    case .failure(let error): if gate.abort() { single.resolve(.failure(error)) }
    case nil: ContractViolation.report(.overlap, by: Self.self)
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    switch completion {
    case .failure(let error):
      single.resolve(.failure(mapFailure(error)))
    case .finished:
      let result = fold.access { fold in
        Result { () throws(Machine.Failure) in try fold.result() }
      }
      if let result { single.resolve(result) }
    }
  }

  /// A result that is known before the end.
  @frozen
  @usableFromInline
  struct Outcome {
    @usableFromInline let value: Machine.Output?

    @inlinable
    init(value: Machine.Output?) {
      self.value = value
    }
  }
}
