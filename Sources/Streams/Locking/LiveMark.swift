import Synchronization

/// A kind of object that belongs to a subscription and must not outlive it.
///
/// There is one case for each class of Streams that holds a ``LiveMark``.
@usableFromInline package enum LiveKind: Int, CaseIterable, Sendable {
  case asyncPull, assign, bareEnd, cancelWatch, concatDriver, confined, expandDriver
  case expiryRace, fanIn
  case hopBlock, hopQueue, linePrinter, outbox, outsideEnd, pullSubscription, relayDriver
  case relayRunner, retryDriver, retrySession, sharedRun, singleValueSubscription, sink, splitDriver
  case subjectEntry, subjectLink, subscriptionWatch, upstreamGate, valueQueue
}

/// A property of a class of Streams by which tests detect objects that are left over.
///
/// It counts in debug builds if a ``LiveLedger`` is current. In other builds it does nothing.
@frozen @usableFromInline package struct LiveMark: ~Copyable, Sendable {
  #if DEBUG
    @usableFromInline let counter: LiveLedger.Counter?

    @usableFromInline package init(_ kind: LiveKind) {
      counter = LiveLedger.current?[kind]
      counter?.made.add(1, ordering: .relaxed)
      counter?.alive.add(1, ordering: .relaxed)
    }

    deinit {
      counter?.alive.subtract(1, ordering: .relaxed)
    }
  #else
    @inlinable package init(_ kind: LiveKind) {}
  #endif
}
