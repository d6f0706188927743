import Synchronization

/// The terminal guard: lets one subscription in, values through while it is open, and one end out.
///
/// Values only read a word; the subscription and the end cost one atomic step each.
@usableFromInline package final class UpstreamGate: RepeatableCancellable {
  /// In the order in which a gate may pass through them.
  @usableFromInline enum Phase: UInt, Sendable {
    case awaiting, open, finished, cancelled
  }

  @usableFromInline let mark = LiveMark(.upstreamGate)
  /// The phase in the two low bits; above them, how many threads copy the subscription just now.
  @usableFromInline let word = Atomic<UInt>(Phase.awaiting.rawValue)

  // Unsafe is right: `admit` writes it before it opens the gate. Who finds the gate open and counts
  // itself in `word` may read it. When the gate is closed, which happens once and lets nobody in any
  // more, the last of those who are counted, or else who closed it, clears it.
  @exclusivity(unchecked)
  @usableFromInline nonisolated(unsafe) var upstream: any Subscription = EmptySubscription()

  @inlinable package init() {}

  @inlinable var phase: Phase { Self.phase(word.load(ordering: .relaxed)) }

  /// Whether values may pass.
  @inlinable package var isOpen: Bool { phase == .open }

  /// Whether a cancel came, be it after the end.
  @inlinable package var isCancelled: Bool { phase == .cancelled }

  /// The subscription, while the gate is open.
  @inlinable package var current: (any Subscription)? {
    var before = word.load(ordering: .relaxed)
    while Self.phase(before) == .open {
      let (entered, found) = word.compareExchange(
        expected: before, desired: before + Self.reader, ordering: .acquiring)
      if entered { return copyAndLeave() }
      before = found
    }
    return nil
  }

  /// Takes the subscription in, if it is the first and nobody cancelled; cancels it otherwise.
  @inlinable package func admit(
    _ subscription: consuming any Subscription, for owner: Any.Type
  ) -> Bool {
    guard phase == .awaiting else { return refuse(subscription, for: owner) }
    upstream = subscription
    let (opened, _) = word.compareExchange(
      expected: Phase.awaiting.rawValue, desired: Phase.open.rawValue, ordering: .releasing)
    return opened || refuse(takeUpstream(), for: owner)
  }

  @usableFromInline func refuse(_ subscription: any Subscription, for owner: Any.Type) -> Bool {
    if !isCancelled { ContractViolation.report(.secondSubscription, by: owner) }
    subscription.cancel()
    return false
  }

  /// Closes for the end that the upstream sent.
  ///
  /// - Returns: Whether this is the end to pass on; false after a cancel or an earlier end.
  @inlinable package func finish(for owner: Any.Type) -> Bool {
    switch close(as: .finished) {
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
  /// - Returns: Whether the stream was still open, and the upstream's cancel did not cause one.
  @inlinable package func abort() -> Bool {
    close(as: .finished, andCancel: true) == .open && !isCancelled
  }

  @inlinable package func cancel() {
    _ = close(as: .cancelled, andCancel: true)
  }

  /// The subscription to hand to a downstream whose cancel this gate must see.
  @inlinable package var subscription: any Subscription {
    ClosureSubscription { [self] command in
      switch command {
      case .request(let demand): current?.request(demand)
      case .cancel: cancel()
      }
    }
  }

  /// Says that a value was dropped because the gate was closed, unless a cancel explains it.
  @usableFromInline package func reportStrayValue(for owner: Any.Type) {
    switch phase {
    case .awaiting: ContractViolation.report(.valueBeforeSubscription, by: owner)
    case .finished: ContractViolation.report(.valueAfterEnd, by: owner)
    case .open, .cancelled: break
    }
  }

  /// Closes, unless it is closed as firmly already, and lets go of the subscription.
  ///
  /// - Returns: The phase before.
  @inlinable func close(as end: Phase, andCancel mustCancel: Bool = false) -> Phase {
    var before = word.load(ordering: .relaxed)
    while true {
      let phase = Self.phase(before)
      guard phase.rawValue < end.rawValue else { return phase }
      if before == Phase.finished.rawValue {
        // Nobody has anything left to do here but to say that a cancel came.
        word.store(end.rawValue, ordering: .relaxed)
        return phase
      }
      let isWatched = phase == .open && before >= Self.reader
      let after = before - phase.rawValue + end.rawValue + (isWatched ? Self.reader : 0)
      let (closed, found) = word.compareExchange(
        expected: before, desired: after, ordering: .acquiringAndReleasing)
      if closed {
        guard phase == .open else { return phase }
        if mustCancel {
          (isWatched ? copyAndLeave() : takeUpstream()).cancel()
        } else if isWatched {
          _ = copyAndLeave()
        } else {
          upstream = EmptySubscription()
        }
        return phase
      }
      before = found
    }
  }

  @usableFromInline func copyAndLeave() -> any Subscription {
    let copy = upstream
    let left = word.subtract(Self.reader, ordering: .acquiringAndReleasing).newValue
    if left < Self.reader, Self.phase(left) != .open { _ = takeUpstream() }
    return copy
  }

  @inlinable func takeUpstream() -> any Subscription {
    exchange(&upstream, with: EmptySubscription())
  }

  @inlinable static var reader: UInt { 4 }

  @inlinable static func phase(_ word: UInt) -> Phase {
    switch word & 3 {
    case 0: .awaiting
    case 1: .open
    case 2: .finished
    default: .cancelled
    }
  }
}

extension UpstreamGate {
  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable package func admitsValue(for owner: Any.Type) -> Bool {
    if isOpen { return true }
    reportStrayValue(for: owner)
    return false
  }
}
