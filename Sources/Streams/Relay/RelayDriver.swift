import Synchronization

/// Keeps the account of one source after another behind one downstream: whose turn it is, and how much
/// was asked for and not served.
///
/// A new source is asked for just what the old one left unserved, and a cancel is honored in every
/// state: while a source runs, between two, and before the first. Sources are steps of a loop, not calls
/// in calls: one that takes over while another is being subscribed waits for that (contract C-5).
///
/// It is not generic, since to release a generic object looks up the types of its fields; who is served
/// is known to the sources.
@usableFromInline final class RelayDriver: SubscriptionDriver {
  // Not the bare closure, which an optional would wrap anew at each access.
  @usableFromInline struct Step: Sendable {
    @usableFromInline let run: @Sendable () -> Void

    @inlinable init(run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private struct State: Sendable {
    var isOver = false
    var current: (any Subscription)?
    var requested = Subscribers.Demand.none
    var next: Step?
  }

  @usableFromInline let mark = LiveMark(.relayDriver)
  @usableFromInline let turns = RelayTurns()
  @usableFromInline let trampoline = Trampoline()
  private let state = Lock(State())
  private let onEnd: RelayEndHandler?
  private let wasCancelled = Atomic<Bool>(false)
  // A value takes no lock: these are written on the delivering context only.
  @usableFromInline let received = Atomic<Int>(0)
  @usableFromInline let granted = Atomic<Int>(0)

  /// - Parameter onEnd: Is called once, with nil for a cancel: for a relay whose end ``end(with:)`` tells.
  @usableFromInline init(onEnd: RelayEndHandler? = nil) {
    self.onEnd = onEnd
  }

  // MARK: From below

  @usableFromInline func request(_ demand: Subscribers.Demand) {
    let current = state.withLock { state in
      state.requested += demand
      return state.current
    }
    current?.request(demand)
  }

  @usableFromInline func cancel() {
    wasCancelled.store(true, ordering: .relaxed)
    let (isFirst, released) = close()
    if isFirst { onEnd?(nil) }
    released?.cancel()
  }

  @usableFromInline var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// What was asked for and has not come.
  @usableFromInline var unserved: Subscribers.Demand { state.withLock { unserved($0) } }

  private func unserved(_ state: State) -> Subscribers.Demand {
    let granted = Subscribers.Demand(count: granted.load(ordering: .relaxed))
    let received = Subscribers.Demand(count: received.load(ordering: .relaxed))
    return state.requested + granted - received
  }

  // MARK: One source after another

  /// Takes the first step; one that it asks for waits until it is done.
  @usableFromInline func begin(_ first: () -> Void) {
    var isFirst = true
    trampoline.run {
      if isFirst {
        isFirst = false
        first()
      } else {
        runNext()
      }
    }
  }

  /// Takes a step as soon as the running one is done.
  @usableFromInline func go(on next: Step) {
    state.withLock { $0.next = next }
    trampoline.run { runNext() }
  }

  private func runNext() {
    state.withLock { $0.next.take() }?.run()
  }

  /// Puts the next source in charge; nil when there is nobody left to serve.
  @usableFromInline func nextTurn() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      return turns.begin()
    }
  }

  /// A source has subscribed.
  ///
  /// - Returns: What it is to be asked for; nil if it was not awaited.
  @usableFromInline func admit(
    _ subscription: any Subscription, of turn: Int
  ) -> Subscribers.Demand? {
    state.withLock { state in
      guard turns.open(turn) else { return nil }
      state.current = subscription
      return unserved(state)
    }
  }

  /// Notes that a value is passed on.
  @inlinable func noteValue() {
    received.store(received.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Notes what the downstream asked for in answer to a value.
  @inlinable func noteGrant(_ demand: Subscribers.Demand) {
    let sum = Subscribers.Demand(count: granted.load(ordering: .relaxed)) + demand
    granted.store(sum.count, ordering: .relaxed)
  }

  /// A source has ended; false if it was not in charge.
  @usableFromInline func end(_ turn: Int) -> Bool {
    let (wasInCharge, released) = takeTurn(turn)
    withExtendedLifetime(released) {}
    return wasInCharge
  }

  /// Cancels a source that is not needed any more; false if it was not in charge, or a cancel came
  /// meanwhile.
  @usableFromInline func abort(_ turn: Int) -> Bool {
    let (wasInCharge, released) = takeTurn(turn)
    released?.cancel()
    return wasInCharge && !isCancelled
  }

  private func takeTurn(_ turn: Int) -> (wasInCharge: Bool, released: (any Subscription)?) {
    state.withLock { state in
      guard turns.end(turn) else { return (false, nil) }
      return (true, state.current.take())
    }
  }

  // MARK: The end

  /// Ends all; false if that was over.
  @usableFromInline func finish() -> Bool {
    let (isFirst, released) = close()
    withExtendedLifetime(released) {}
    return isFirst
  }

  /// Ends all and tells of it; false if there is nobody left to be told.
  @usableFromInline func end(with completion: Subscribers.Completion<any Error>) -> Bool {
    guard finish() else { return false }
    onEnd?(completion)
    return !isCancelled
  }

  private func close() -> (isFirst: Bool, released: (any Subscription)?) {
    state.withLock { state in
      defer { state.isOver = true }
      turns.endCurrent()
      return (!state.isOver, state.current.take())
    }
  }
}
