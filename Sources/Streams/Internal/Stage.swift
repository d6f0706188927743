/// What an operator makes of one value at a time: a state machine of value type.
@usableFromInline
protocol Stage<Input, Output, Failure> {
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype Failure: Error

  mutating func receive(_ input: Input) -> StageStep<Output, Failure>
}

/// What happens next.
@frozen
@usableFromInline
enum StageStep<Output: Sendable, Failure: Error> {
  /// Pass this value on.
  case pass(Output)
  /// Pass nothing on, and ask for another value instead.
  case skip
  /// Pass this value on, cancel the upstream and finish.
  case last(Output)
  /// Cancel the upstream and finish.
  case finish
  /// Cancel the upstream and fail.
  case fail(Failure)
}

/// Runs a stage between an upstream and a downstream.
///
/// Demand is the downstream's, one more for each value that is skipped.
@frozen
@usableFromInline
struct StageSubscriber<Machine: Stage, Downstream: Subscriber, Failure: Error>: Subscriber
where Machine.Output == Downstream.Input, Machine.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Machine.Input

  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let stage: Confined<Machine>
  @usableFromInline let downstream: Downstream
  @usableFromInline let mapFailure: @Sendable (Failure) -> Downstream.Failure

  /// - Parameter mapFailure: Expresses the upstream's failure as the downstream's.
  @inlinable
  init(
    _ stage: Machine, downstream: Downstream,
    mapFailure: @escaping @Sendable (Failure) -> Downstream.Failure
  ) {
    self.stage = Confined(stage)
    self.downstream = downstream
    self.mapFailure = mapFailure
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    downstream.receive(subscription: gate.subscription)
  }

  @inlinable
  func receive(_ input: Machine.Input) -> Subscribers.Demand {
    guard gate.isOpen else {
      gate.reportStrayValue(for: Self.self)
      return .none
    }
    guard let step = stage.access({ $0.receive(input) }) else {
      ContractViolation.report(.overlap, by: Self.self)
      return .none
    }
    switch step {
    case .pass(let output):
      // The stage's closure may have cancelled.
      return gate.isOpen ? downstream.receive(output) : .none
    case .skip:
      return .max(1)
    case .last(let output):
      if gate.abort() {
        _ = downstream.receive(output)
        if !gate.isCancelled { downstream.receive(completion: .finished) }
      }
    case .finish:
      if gate.abort() { downstream.receive(completion: .finished) }
    case .fail(let error):
      if gate.abort() { downstream.receive(completion: .failure(error)) }
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    downstream.receive(completion: completion.mapFailure(mapFailure))
  }
}
