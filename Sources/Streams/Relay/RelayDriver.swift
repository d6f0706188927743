import Synchronization

/// The account of several sources, one after another, behind one downstream: the current turn and
/// the unserved demand.
///
/// A new source gets the demand that the old one left unserved. A cancel takes effect in every
/// state: while a source runs, between two sources, and before the first. Sources are steps of a
/// loop and not nested calls. A source that takes over while another is being subscribed waits for
/// that (contract C-5).
///
/// The class is not generic, because the release of a generic object looks up the types of its
/// fields. The sources know the downstream.
@usableFromInline final class RelayDriver: SubscriptionDriver {
  // A struct and not the bare closure, which an optional would wrap again at each access.
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
    /// Released at the end and by a cancel.
    var onEnd: EndStep?
  }

  // A struct for the same reason as `Step`.
  private struct EndStep: Sendable {
    let run: RelayEndHandler
  }

  @usableFromInline let mark = LeakMark("relayDriver")
  @usableFromInline let turns = RelayTurns()
  @usableFromInline let trampoline = Trampoline()
  private let state: Lock<State>
  private let wasCancelled = Atomic<Bool>(false)
  // A value takes no lock, because these are written only on the delivering context.
  @usableFromInline let received = Atomic<Int>(0)
  @usableFromInline let granted = Atomic<Int>(0)

  /// - Parameter onEnd: A closure that is called once, with nil for a cancel. The relay must report
  ///   its end with ``end(with:)``.
  @usableFromInline init(onEnd: RelayEndHandler? = nil) {
    state = Lock(State(onEnd: onEnd.map { EndStep(run: $0) }))
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
    let (_, released, onEnd) = close()
    onEnd?.run(nil)
    released?.cancel()
  }

  @usableFromInline var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }

  /// The demand that has not been served.
  @usableFromInline var unserved: Subscribers.Demand { state.withLock { unserved($0) } }

  private func unserved(_ state: State) -> Subscribers.Demand {
    let granted = Subscribers.Demand(count: granted.load(ordering: .relaxed))
    let received = Subscribers.Demand(count: received.load(ordering: .relaxed))
    return state.requested + granted - received
  }

  // MARK: One source after another

  /// Runs the first step.
  ///
  /// A step that it requests waits until the first one is done.
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

  /// Runs a step as soon as the running one is done.
  @usableFromInline func go(on next: Step) {
    state.withLock { $0.next = next }
    trampoline.run { runNext() }
  }

  private func runNext() {
    state.withLock { $0.next.take() }?.run()
  }

  /// Begins the turn of the next source, or returns nil if the stream is over.
  @usableFromInline func nextTurn() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      return turns.begin()
    }
  }

  /// Records the subscription of a source.
  ///
  /// - Returns: The demand for the source, or nil if its subscription was not awaited.
  @usableFromInline func admit(
    _ subscription: any Subscription, of turn: Int
  ) -> Subscribers.Demand? {
    state.withLock { state in
      guard turns.open(turn) else { return nil }
      state.current = subscription
      return unserved(state)
    }
  }

  /// Counts a value that is passed on.
  @inlinable func noteValue() {
    received.store(received.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Adds the demand that the downstream returned for a value.
  @inlinable func noteGrant(_ demand: Subscribers.Demand) {
    let sum = Subscribers.Demand(count: granted.load(ordering: .relaxed)) + demand
    granted.store(sum.count, ordering: .relaxed)
  }

  /// Records the end of a source, and returns false if it was not its turn.
  @usableFromInline func end(_ turn: Int) -> Bool {
    let (wasInCharge, released) = takeTurn(turn)
    withExtendedLifetime(released) {}
    return wasInCharge
  }

  /// Cancels a source that is not needed any more.
  ///
  /// It returns false if it was not the source's turn, or if a cancel came meanwhile.
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

  /// Ends the stream, and returns false if it was over.
  @usableFromInline func finish() -> Bool {
    let closed = close()
    withExtendedLifetime(closed) {}
    return closed.isFirst
  }

  /// Ends the stream and calls `onEnd`.
  ///
  /// It returns false if the stream was over, or if a cancel came meanwhile.
  @usableFromInline func end(with completion: Subscribers.Completion<any Error>) -> Bool {
    let (isFirst, released, onEnd) = close()
    withExtendedLifetime(released) {}
    guard isFirst else { return false }
    onEnd?.run(completion)
    return !isCancelled
  }

  private func close() -> (isFirst: Bool, released: (any Subscription)?, onEnd: EndStep?) {
    state.withLock { state in
      defer { state.isOver = true }
      turns.endCurrent()
      return (!state.isOver, state.current.take(), state.onEnd.take())
    }
  }
}

/// The turns at a relay, one source after another, each first awaited and then open.
///
/// A change needs the relay's lock. The delivering thread reads without the lock.
@usableFromInline struct RelayTurns: ~Copyable, Sendable {
  // Of each four numbers, the first means that no source has the turn, the second that a source's
  // subscription is awaited, and the third that the source is open. The second number is the name
  // of the turn.
  @usableFromInline let number = Atomic<Int>(0)

  @inlinable init() {}

  /// Begins the next turn, after the previous one has ended.
  @inlinable func begin() -> Int {
    number.add(1, ordering: .relaxed).newValue
  }

  /// Records a source's subscription, and returns false if it was not awaited.
  @inlinable func open(_ turn: Int) -> Bool {
    guard number.load(ordering: .relaxed) == turn else { return false }
    number.store(turn + 1, ordering: .relaxed)
    return true
  }

  /// Ends a turn, and returns false if it was another one's.
  @inlinable func end(_ turn: Int) -> Bool {
    guard isInCharge(turn) else { return false }
    number.store(turn + 3, ordering: .relaxed)
    return true
  }

  /// Ends the current turn.
  @inlinable func endCurrent() {
    let now = number.load(ordering: .relaxed)
    number.store((now + 3) & ~3, ordering: .relaxed)
  }

  /// Returns whether values of a source may pass.
  @inlinable func isOpen(_ turn: Int) -> Bool {
    number.load(ordering: .relaxed) == turn + 1
  }

  /// Returns whether a source is awaited or open.
  @inlinable func isInCharge(_ turn: Int) -> Bool {
    let now = number.load(ordering: .relaxed)
    return now == turn || now == turn + 1
  }

  /// Returns the rule that a value breaks if its source is not open.
  @usableFromInline func violation(ofValueIn turn: Int) -> ContractViolation.Rule {
    number.load(ordering: .relaxed) == turn ? .valueBeforeSubscription : .valueAfterEnd
  }
}

/// A source's turn at a relay, for any downstream.
///
/// It is separate from the downstream, which consists of several references. A check of the turn
/// does not have to count them.
@frozen @usableFromInline struct RelayTurn: Sendable {
  @usableFromInline let driver: RelayDriver
  @usableFromInline let number: Int

  @inlinable init(driver: RelayDriver, number: Int) {
    self.driver = driver
    self.number = number
  }

  /// Records the source's subscription, and requests the unserved demand from it.
  @inlinable func admit(_ subscription: any Subscription) {
    guard let demand = driver.admit(subscription, of: number) else {
      reportViolation(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Whether a value may pass.
  ///
  /// If not, the violation is reported, unless a cancel explains it.
  @inlinable var admitsValue: Bool {
    if driver.turns.isOpen(number) { return true }
    reportViolation(driver.turns.violation(ofValueIn: number))
    return false
  }

  /// Ends this turn.
  ///
  /// - Returns: Whether it was the source's turn. It is false for a second end and after a cancel.
  @inlinable func end() -> Bool {
    let wasInCharge = driver.end(number)
    if !wasInCharge { reportViolation(.secondEnd) }
    return wasInCharge
  }

  /// Ends this turn before the source's own end, and cancels the source.
  ///
  /// - Returns: Whether it was the source's turn, and the source's cancel did not cancel the
  ///   stream.
  @inlinable func abort() -> Bool { driver.abort(number) }

  /// Reports a dropped signal, unless a cancel explains it.
  @usableFromInline func reportViolation(_ rule: ContractViolation.Rule) {
    if !driver.isCancelled { ContractViolation.report(rule, by: Self.self) }
  }
}
