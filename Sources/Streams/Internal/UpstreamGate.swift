import Synchronization

/// The terminal guard: lets one subscription in, values through while it is open, and one end out.
///
/// Values only read a flag; the lock is taken once for the subscription and once for the end.
@usableFromInline
package final class UpstreamGate: Cancellable {
  @usableFromInline
  enum Phase: UInt8, AtomicRepresentable, Sendable {
    case awaiting, open, finished, cancelled
  }

  @usableFromInline let mark = LiveMark(.upstreamGate)
  @usableFromInline let phase = Atomic<Phase>(.awaiting)
  @usableFromInline let upstream = Lock<(any Subscription)?>(nil)

  @inlinable
  package init() {}

  /// Whether values may pass.
  @inlinable
  package var isOpen: Bool {
    phase.load(ordering: .relaxed) == .open
  }

  /// The subscription, while the gate is open.
  @inlinable
  package var current: (any Subscription)? {
    upstream.withLock { $0 }
  }

  /// Takes the subscription in, if it is the first and nobody cancelled; cancels it otherwise.
  @inlinable
  package func admit(_ subscription: any Subscription, for owner: Any.Type) -> Bool {
    let before = upstream.withLock { slot in
      let before = phase.load(ordering: .relaxed)
      if before == .awaiting {
        slot = subscription
        phase.store(.open, ordering: .relaxed)
      }
      return before
    }
    if before == .awaiting { return true }
    if before != .cancelled { ContractViolation.report(.secondSubscription, by: owner) }
    subscription.cancel()
    return false
  }

  /// Closes for the end that the upstream sent.
  ///
  /// - Returns: Whether this is the end to pass on; false after a cancel or an earlier end.
  @inlinable
  package func finish(for owner: Any.Type) -> Bool {
    let (before, released) = close(as: .finished)
    withExtendedLifetime(released) {}
    switch before {
    case .open: return true
    case .awaiting:
      ContractViolation.report(.endBeforeSubscription, by: owner)
      return true
    case .finished:
      ContractViolation.report(.secondEnd, by: owner)
      return false
    case .cancelled: return false
    }
  }

  /// Closes and cancels the upstream because this stage ends the stream itself.
  ///
  /// - Returns: Whether the stream was still open.
  @inlinable
  package func abort() -> Bool {
    let (before, released) = close(as: .finished)
    released?.cancel()
    return before == .open
  }

  @inlinable
  package func cancel() {
    let released = upstream.withLock { slot in
      phase.store(.cancelled, ordering: .relaxed)
      defer { slot = nil }
      return slot
    }
    released?.cancel()
  }

  /// Whether a cancel came, be it after the end.
  @inlinable
  package var isCancelled: Bool {
    phase.load(ordering: .relaxed) == .cancelled
  }

  /// The subscription to hand to a downstream whose cancel this gate must see.
  @inlinable
  package var subscription: any Subscription {
    ClosureSubscription { [self] command in
      switch command {
      case .request(let demand): current?.request(demand)
      case .cancel: cancel()
      }
    }
  }

  /// Says that a value was dropped because the gate was closed, unless a cancel explains it.
  @usableFromInline
  package func reportStrayValue(for owner: Any.Type) {
    switch phase.load(ordering: .relaxed) {
    case .awaiting: ContractViolation.report(.valueBeforeSubscription, by: owner)
    case .finished: ContractViolation.report(.valueAfterEnd, by: owner)
    case .open, .cancelled: break
    }
  }

  @inlinable
  func close(as end: Phase) -> (before: Phase, released: (any Subscription)?) {
    upstream.withLock { slot in
      let before = phase.load(ordering: .relaxed)
      guard before == .open || before == .awaiting else { return (before, nil) }
      phase.store(end, ordering: .relaxed)
      defer { slot = nil }
      return (before, slot)
    }
  }
}
