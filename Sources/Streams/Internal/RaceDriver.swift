import Synchronization

/// Lets several sources start, and stays with the one that signals first.
///
/// A value of the winner takes no lock: it only reads who has won.
@usableFromInline
final class RaceDriver<Downstream: Subscriber>: Sendable {
  @usableFromInline
  struct State: Sendable {
    @usableFromInline var contenders: [(any Subscription)?] = []
    @usableFromInline var requested = Subscribers.Demand.none

    @inlinable init() {}

    @inlinable
    mutating func takeAll(but index: Int? = nil) -> [any Subscription] {
      contenders.indices.compactMap { $0 == index ? nil : contenders[$0].take() }
    }
  }

  // Who has won; below zero: nobody yet, nobody any more, or one who has ended.
  @usableFromInline static var open: Int { -1 }
  @usableFromInline static var cancelled: Int { -2 }
  @inlinable static func ended(_ index: Int) -> Int { -3 - index }

  @usableFromInline let mark = LiveMark(.raceDriver)
  @usableFromInline let winner = Atomic<Int>(-1)
  @usableFromInline let state = Lock(State())

  /// Hands the downstream its subscription; enter the contenders next.
  @inlinable
  init(for downstream: Downstream) {
    downstream.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): request(demand)
        case .cancel: cancel()
        }
      })
  }

  /// Subscribes a contender, unless the race is over.
  @inlinable
  func enter<Source: Publisher>(_ source: Source, for downstream: Downstream)
  where Source.Output == Downstream.Input, Source.Failure == Downstream.Failure {
    guard winner.load(ordering: .relaxed) == Self.open else { return }
    let index = state.withLock { state in
      state.contenders.append(nil)
      return state.contenders.count - 1
    }
    source.receive(
      subscriber: RaceContender(race: self, index: index, downstream: downstream))
  }

  @inlinable
  func request(_ demand: Subscribers.Demand) {
    // Once somebody has won there is no need to look at the others, however many there were.
    let index = winner.load(ordering: .relaxed)
    if index >= 0 {
      let one = state.withLock { state in
        state.requested += demand
        return state.contenders[index]
      }
      one?.request(demand)
      return
    }
    let contenders = state.withLock { state in
      state.requested += demand
      return state.contenders
    }
    for contender in contenders { contender?.request(demand) }
  }

  @inlinable
  func cancel() {
    let released = state.withLock { state in
      winner.store(Self.cancelled, ordering: .relaxed)
      return state.takeAll()
    }
    for contender in released { contender.cancel() }
  }

  @inlinable
  func admit(_ subscription: any Subscription, of index: Int) {
    let (demand, isSlip): (Subscribers.Demand?, Bool) = state.withLock { state in
      let winner = winner.load(ordering: .relaxed)
      guard winner == Self.open || winner == index, state.contenders[index] == nil else {
        return (nil, winner == Self.open || winner == index)
      }
      state.contenders[index] = subscription
      return (state.requested, false)
    }
    if let demand {
      if demand > .none { subscription.request(demand) }
    } else {
      if isSlip { ContractViolation.report(.secondSubscription, by: Self.self) }
      subscription.cancel()
    }
  }

  /// Whether a contender is the one to follow: it is if it is the first to signal.
  @inlinable
  func isWon(by index: Int) -> Bool {
    let before = winner.load(ordering: .relaxed)
    if before == index { return true }
    guard before == Self.open else { return false }
    let (isWon, losers) = state.withLock { state in
      guard winner.load(ordering: .relaxed) == Self.open else {
        return (false, [] as [any Subscription])
      }
      winner.store(index, ordering: .relaxed)
      return (true, state.takeAll(but: index))
    }
    for loser in losers { loser.cancel() }
    return isWon
  }

  /// Ends the race, if it is the winner's to end.
  @inlinable
  func end(by index: Int) -> Bool {
    guard isWon(by: index) else {
      reportSlip(.secondEnd, by: index)
      return false
    }
    let (isEnded, released) = state.withLock { state in
      guard winner.load(ordering: .relaxed) == index else {
        return (false, [] as [any Subscription])
      }
      winner.store(Self.ended(index), ordering: .relaxed)
      return (true, state.takeAll())
    }
    withExtendedLifetime(released) {}
    return isEnded
  }

  /// Says that a signal was dropped of a winner that had ended; losers are cancelled, not at fault.
  @usableFromInline
  func reportSlip(_ rule: ContractViolation.Rule, by index: Int) {
    if winner.load(ordering: .relaxed) == Self.ended(index) {
      ContractViolation.report(rule, by: Self.self)
    }
  }
}

/// Subscribes one of the sources that race.
@frozen
@usableFromInline
struct RaceContender<Downstream: Subscriber>: Subscriber {
  @usableFromInline let race: RaceDriver<Downstream>
  @usableFromInline let index: Int
  @usableFromInline let downstream: Downstream

  @inlinable
  init(race: RaceDriver<Downstream>, index: Int, downstream: Downstream) {
    self.race = race
    self.index = index
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    race.admit(subscription, of: index)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    guard race.isWon(by: index) else {
      race.reportSlip(.valueAfterEnd, by: index)
      return .none
    }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if race.end(by: index) { downstream.receive(completion: completion) }
  }
}
