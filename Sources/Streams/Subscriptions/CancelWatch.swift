import Synchronization

/// Tells an operator that keeps nothing else whether its downstream has cancelled: what its closure
/// works on while that cancels is not passed on.
@usableFromInline final class CancelWatch: Sendable {
  @usableFromInline let mark = LiveMark(.cancelWatch)
  @usableFromInline enum Phase: UInt8, AtomicRepresentable, Sendable {
    case awaiting, watching, cancelled
  }

  @usableFromInline let phase = Atomic<Phase>(.awaiting)

  @inlinable init() {}

  @inlinable var isCancelled: Bool { phase.load(ordering: .relaxed) == .cancelled }

  /// The subscription to hand to the downstream.
  ///
  /// A second one, which is a slip, is handed on as it is: who refuses it cancels that one only.
  @inlinable func watching(_ subscription: any Subscription) -> any Subscription {
    guard phase.load(ordering: .relaxed) == .awaiting else { return subscription }
    phase.store(.watching, ordering: .relaxed)
    return ClosureSubscription { [self] command in
      switch command {
      case .request(let demand):
        subscription.request(demand)
      case .cancel:
        phase.store(.cancelled, ordering: .relaxed)
        subscription.cancel()
      }
    }
  }
}
