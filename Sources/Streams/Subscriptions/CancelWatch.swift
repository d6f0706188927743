import Synchronization

/// The state of an operator that only needs to know whether its downstream has cancelled.
///
/// If a cancel comes while the operator's closure works on a value, the value is not passed on.
@usableFromInline final class CancelWatch: Sendable {
  @usableFromInline let mark = LiveMark("cancelWatch")
  @usableFromInline enum Phase: UInt8, AtomicRepresentable, Sendable {
    case awaiting, watching, cancelled
  }

  @usableFromInline let phase = Atomic<Phase>(.awaiting)

  @inlinable init() {}

  @inlinable var isCancelled: Bool { phase.load(ordering: .relaxed) == .cancelled }

  /// Returns the subscription for the downstream.
  ///
  /// A second subscription is a violation and is passed on unchanged. A downstream that refuses it
  /// cancels only that one.
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
