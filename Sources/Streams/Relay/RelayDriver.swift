import Synchronization

/// Keeps the account of one leg after another behind one downstream: whose turn it is, and how much
/// was asked for and not served.
///
/// It is not generic, since to release a generic object looks up the types of its fields. Legs are steps
/// of a loop, not calls in calls: one that takes over while another is being subscribed waits for that
/// (contract C-5).
@usableFromInline final class RelayDriver: SubscriptionDriver {
  @usableFromInline typealias Completion = Subscribers.Completion<any Error>

  // Not the bare closure, which an optional would wrap anew at each access.
  @usableFromInline struct Step: Sendable {
    @usableFromInline let run: @Sendable () -> Void

    @inlinable init(run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  @usableFromInline struct State: Sendable {
    var isOver = false
    var current: (any Subscription)?
    var requested = Subscribers.Demand.none
    var next: Step?
  }

  @usableFromInline let mark = LiveMark(.relayDriver)
  private let state = Lock(State())
  private let trampoline = Trampoline()
  private let onEnd: RelayEndHandler?
  @usableFromInline let turns = RelayTurns()
  private let isCancelled = Atomic<Bool>(false)
  // A value takes no lock: these are written on the delivering context only.
  private let received = Atomic<Int>(0)
  private let granted = Atomic<Int>(0)

  @usableFromInline init(onEnd: RelayEndHandler?) {
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
    isCancelled.store(true, ordering: .relaxed)
    let (isFirst, released) = state.withLock { state in
      defer { state.isOver = true }
      turns.endCurrent()
      return (!state.isOver, state.current.take())
    }
    if isFirst { onEnd?(nil) }
    released?.cancel()
  }

  // MARK: Legs

  /// Subscribes the first leg.
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

  /// Subscribes the next leg, now or once the one before is subscribed.
  @usableFromInline func go(on next: Step) {
    state.withLock { $0.next = next }
    trampoline.run { runNext() }
  }

  private func runNext() {
    state.withLock { $0.next.take() }?.run()
  }

  /// Puts the next leg in charge; nil when there is nobody left to serve.
  @usableFromInline func nextTurn() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      return turns.begin()
    }
  }

  /// Whether a value may pass; if not, says that it was dropped, unless a cancel explains it.
  @inlinable func admitsValue(of turn: Int) -> Bool {
    if turns.isOpen(turn) { return true }
    reportSlip(turns.slip(ofValueIn: turn))
    return false
  }

  /// Takes in a leg's subscription and asks it for what is still unserved.
  @usableFromInline func admit(_ subscription: any Subscription, of turn: Int) {
    let demand: Subscribers.Demand? = state.withLock { state in
      guard turns.open(turn) else { return nil }
      state.current = subscription
      let granted = Subscribers.Demand(count: granted.load(ordering: .relaxed))
      let received = Subscribers.Demand(count: received.load(ordering: .relaxed))
      return state.requested + granted - received
    }
    guard let demand else {
      reportSlip(.secondSubscription)
      subscription.cancel()
      return
    }
    if demand > .none { subscription.request(demand) }
  }

  /// Notes that a value is passed on.
  @usableFromInline func noteValue() {
    received.store(received.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Notes what the downstream asked for in answer to a value.
  @usableFromInline func noteGrant(_ demand: Subscribers.Demand) {
    let sum = Subscribers.Demand(count: granted.load(ordering: .relaxed)) + demand
    granted.store(sum.count, ordering: .relaxed)
  }

  /// Ends a leg's turn, and cancels it unless it has ended.
  ///
  /// - Returns: Whether it was in charge: false for the second end of a publisher that misbehaves, and
  ///   after a cancel.
  @usableFromInline func endTurn(_ turn: Int, hasEnded: Bool) -> Bool {
    let (wasInCharge, released) = state.withLock { state in
      guard turns.end(turn) else { return (false, nil as (any Subscription)?) }
      return (true, state.current.take())
    }
    if !hasEnded { released?.cancel() }
    if !wasInCharge { reportSlip(.secondEnd) }
    return wasInCharge
  }

  // MARK: The end

  /// Ends the stream, after the last leg's turn.
  ///
  /// - Returns: Whether the end is to be sent: no cancel came first.
  @usableFromInline func finish(_ completion: Completion) -> Bool {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst else { return false }
    onEnd?(completion)
    return !isCancelled.load(ordering: .relaxed)
  }

  /// Says that a signal was dropped, unless a cancel explains it.
  @usableFromInline func reportSlip(_ rule: ContractViolation.Rule) {
    if !isCancelled.load(ordering: .relaxed) { ContractViolation.report(rule, by: Self.self) }
  }
}
