import Synchronization

/// A gate that admits one subscription, passes values while it is open, and passes one end.
///
/// A value only reads a word. The subscription and the end cost one atomic step each.
@usableFromInline package final class UpstreamGate: RepeatableCancellable {
  /// The phases of a gate, in the order in which it may pass through them.
  @usableFromInline enum Phase: UInt, Sendable {
    case awaiting, open, finished, cancelled
  }

  @usableFromInline let mark = LeakMark("upstreamGate")
  /// The phase in the two low bits and, above them, the number of threads that are copying the
  /// subscription.
  @usableFromInline let word = Atomic<UInt>(Phase.awaiting.rawValue)

  // `nonisolated(unsafe)` is correct: `admit` writes it before it opens the gate. A thread that
  // finds the gate open and counts itself in `word` may read it. The gate closes once, and then
  // admits no thread any more. The last of the counted threads, or else the thread that closed the
  // gate, clears it.
  @exclusivity(unchecked)
  @usableFromInline nonisolated(unsafe) var upstream: any Subscription = EmptySubscription()

  @inlinable package init() {}

  @inlinable var phase: Phase { Self.phase(word.load(ordering: .relaxed)) }

  /// Whether values may pass.
  @inlinable package var isOpen: Bool { phase == .open }

  /// Whether a cancel came, even after the end.
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

  /// Admits a subscription if it is the first and no cancel came, and cancels it otherwise.
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

  /// Closes the gate for the end that the upstream sent.
  ///
  /// - Returns: Whether to pass this end on. It is false after a cancel or an earlier end.
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

  /// Closes the gate and cancels the upstream, because this stage ends the stream itself.
  ///
  /// - Returns: Whether the stream was still open, and the upstream's cancel did not cancel it.
  @inlinable func abort() -> Bool {
    close(as: .finished, andCancel: true) == .open && !isCancelled
  }

  @inlinable package func cancel() {
    _ = close(as: .cancelled, andCancel: true)
  }

  /// The subscription for a downstream whose cancel this gate must see.
  @inlinable package var subscription: any Subscription {
    ClosureSubscription { [self] command in
      switch command {
      case .request(let demand): current?.request(demand)
      case .cancel: cancel()
      }
    }
  }

  /// Reports a value that was dropped because the gate was closed, unless a cancel explains it.
  @usableFromInline func reportStrayValue(for owner: Any.Type) {
    switch phase {
    case .awaiting: ContractViolation.report(.valueBeforeSubscription, by: owner)
    case .finished: ContractViolation.report(.valueAfterEnd, by: owner)
    case .open, .cancelled: break
    }
  }

  /// Closes the gate, unless it is closed as firmly already, and releases the subscription.
  ///
  /// - Returns: The phase before.
  @inlinable func close(as end: Phase, andCancel mustCancel: Bool = false) -> Phase {
    var before = word.load(ordering: .relaxed)
    while true {
      let phase = Self.phase(before)
      guard phase.rawValue < end.rawValue else { return phase }
      if before == Phase.finished.rawValue {
        // The only work left here is to record the cancel.
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
  /// Whether a value may pass.
  ///
  /// If not, the violation is reported, unless a cancel explains it.
  @inlinable package func admitsValue(for owner: Any.Type) -> Bool {
    if isOpen { return true }
    reportStrayValue(for: owner)
    return false
  }
}
