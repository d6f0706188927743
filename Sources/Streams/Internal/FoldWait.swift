/// Folds a publisher's values and resumes the task that waits for the result, exactly once: with
/// the result, a failure, or the cancellation, whichever comes first.
final class FoldWait<Machine: Fold, Failure: Error>: Subscriber, Cancellable
where Machine: SendableMetatype, Machine.Failure == any Error {
  typealias Input = Machine.Input
  typealias Continuation = CheckedContinuation<Machine.Output?, any Error>

  private struct State: Sendable {
    var continuation: Continuation?
    var isCancelled = false
  }

  private let mark = LiveMark(.foldWait)
  private let gate = UpstreamGate()
  private let fold: Confined<Machine>
  private let demand: Subscribers.Demand
  private let state = Lock(State())

  private init(_ fold: Machine, demand: Subscribers.Demand) {
    self.fold = Confined(fold)
    self.demand = demand
  }

  /// Subscribes, and waits for the result.
  ///
  /// - Parameters:
  ///   - fold: What makes the result.
  ///   - publisher: Is not subscribed if the task was cancelled before.
  ///   - demand: What to ask for.
  /// - Throws: What the fold throws, the publisher's failure, or `CancellationError`.
  static func result<Source: Publisher>(
    of fold: Machine, over publisher: Source, demand: Subscribers.Demand
  ) async throws -> Machine.Output? where Source.Output == Input, Source.Failure == Failure {
    let wait = FoldWait(fold, demand: demand)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if wait.begin(continuation) { publisher.receive(subscriber: wait) }
      }
    } onCancel: {
      wait.cancel()
    }
  }

  private func begin(_ continuation: Continuation) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(demand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.isOpen else {
      gate.reportStrayValue(for: Self.self)
      return .none
    }
    let step = fold.access { fold in
      Result { () throws(any Error) in
        try fold.receive(input) ? nil : Outcome(value: fold.result())
      }
    }
    switch step {
    case .success(nil): break
    case .success(let outcome?): if gate.abort() { resume(with: .success(outcome.value)) }
    case .failure(let error): if gate.abort() { resume(with: .failure(error)) }
    case nil: ContractViolation.report(.overlap, by: Self.self)
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    switch completion {
    case .failure(let error): resume(with: .failure(error))
    case .finished:
      let result = fold.access { fold in Result { () throws(any Error) in try fold.result() } }
      if let result { resume(with: result) }
    }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    gate.cancel()
    resume(with: .failure(CancellationError()))
  }

  private func resume(with result: sending Result<Machine.Output?, any Error>) {
    state.withLock { $0.continuation.take() }?.resume(with: result)
  }

  /// A result that is known before the end.
  private struct Outcome {
    let value: Machine.Output?
  }
}
