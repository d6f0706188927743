import Synchronization

/// An observer of the commands of a downstream.
///
/// It releases its closure at the end and at the first cancel.
@usableFromInline final class SubscriptionWatch: Sendable {
  // A struct and not the closure itself, which a generic lock would wrap again at each access.
  @usableFromInline struct Observer: Sendable {
    let notice: @Sendable (SubscriptionCommand) -> Void
  }

  @usableFromInline let mark = LeakMark("subscriptionWatch")
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let observer: Lock<Observer?>

  @usableFromInline init(_ observer: @escaping @Sendable (SubscriptionCommand) -> Void) {
    self.observer = Lock(Observer(notice: observer))
  }

  @usableFromInline func finish(for owner: Any.Type) -> Bool {
    guard gate.finish(for: owner) else { return false }
    _ = takeObserver()
    return true
  }

  @usableFromInline func perform(_ command: SubscriptionCommand) {
    switch command {
    case .request(let demand):
      guard let upstream = gate.current else { return }
      observer.withLock { $0 }?.notice(command)
      upstream.request(demand)
    case .cancel:
      // If several threads cancel, or bring the end, at the same time, only the thread that closes
      // the gate uses the observer. Otherwise each thread could leave the call to another one.
      let upstream = gate.current
      guard gate.close(as: .cancelled) == .open else { return }
      takeObserver()?.notice(command)
      upstream?.cancel()
    }
  }

  private func takeObserver() -> Observer? {
    observer.withLock { $0.take() }
  }
}

/// The state of an operator that only needs to know whether its downstream has cancelled.
///
/// If a cancel comes while the operator's closure works on a value, the value is not passed on.
@usableFromInline final class CancelWatch: Sendable {
  @usableFromInline let mark = LeakMark("cancelWatch")
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
