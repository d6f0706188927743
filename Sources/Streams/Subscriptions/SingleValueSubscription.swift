import Synchronization

/// A subscription that delivers one result to one subscriber.
///
/// The result is a value and the end, the end alone, or a failure. Only the value waits for demand.
@usableFromInline final class SingleValueSubscription<Downstream: Subscriber>: Sendable {
  @usableFromInline typealias Outcome = Result<Downstream.Input?, Downstream.Failure>

  @usableFromInline struct State: Sendable {
    @usableFromInline var downstream: Downstream?
    @usableFromInline var isDemanded = false
    @usableFromInline var outcome: Outcome?
    @usableFromInline var work: (any Cancellable)?

    @inlinable init(downstream: Downstream) {
      self.downstream = downstream
    }

    /// Takes out the result if it can be delivered now.
    @inlinable mutating func takeReady() -> (Downstream, Outcome, (any Cancellable)?)? {
      guard let outcome, let downstream else { return nil }
      if case .success(.some) = outcome, !isDemanded { return nil }
      self.downstream = nil
      self.outcome = nil
      return (downstream, outcome, work.take())
    }
  }

  @usableFromInline let mark = LeakMark("singleValueSubscription")
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let state: Lock<State>
  @usableFromInline let isCancelled = Atomic<Bool>(false)

  @inlinable init(_ downstream: Downstream) {
    context = downstream.context
    state = Lock(State(downstream: downstream))
  }

  /// Creates a subscription for a subscriber and hands it over.
  @inlinable static func start(for downstream: Downstream) -> SingleValueSubscription {
    let single = SingleValueSubscription(downstream)
    single.handOver()
    return single
  }

  /// Hands the subscriber its subscription.
  @inlinable func handOver() {
    state.withLock { $0.downstream }?.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request: demand()
        case .cancel: cancel()
        }
      })
  }

  /// Whether the subscriber still waits for the result.
  @inlinable var isWaiting: Bool {
    state.withLock { $0.downstream != nil && $0.outcome == nil }
  }

  /// Keeps the work that a cancel has to stop.
  ///
  /// If the cancel came first, the work is stopped at once.
  @inlinable func hold(_ work: any Cancellable) {
    let isCancelled = state.withLock { state in
      if state.downstream != nil { state.work = work }
      return self.isCancelled.load(ordering: .relaxed)
    }
    if isCancelled { work.cancel() }
  }

  /// Provides the result.
  ///
  /// Only the first call counts.
  @inlinable func resolve(_ outcome: Outcome) {
    deliver(
      state.withLock { state in
        guard state.downstream != nil, state.outcome == nil else { return nil }
        state.outcome = outcome
        return state.takeReady()
      })
  }

  @inlinable func demand() {
    deliver(
      state.withLock { state in
        state.isDemanded = true
        return state.takeReady()
      })
  }

  @inlinable func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    let (work, released) = state.withLock { state in
      (state.work.take(), (state.downstream.take(), state.outcome.take()))
    }
    work?.cancel()
    withExtendedLifetime(released) {}
  }

  @inlinable func deliver(_ ready: (Downstream, Outcome, (any Cancellable)?)?) {
    guard let (downstream, outcome, _) = ready else { return }
    switch outcome {
    case .failure(let error):
      downstream.receive(completion: .failure(error))
    case .success(nil):
      downstream.receive(completion: .finished)
    case .success(let value?):
      _ = downstream.receive(value)
      if !isCancelled.load(ordering: .relaxed) { downstream.receive(completion: .finished) }
    }
  }
}
