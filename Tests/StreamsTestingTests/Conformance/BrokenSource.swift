import Dispatch
import Foundation
import Streams

/// A publisher of numbers that breaks one rule.
struct BrokenSource: Publisher {
  typealias Output = Int
  typealias Failure = Never

  enum Fault: Sendable {
    case none
    case silent, startsWithValue, noSubscription, secondSubscription, valueAfterEnd, secondEnd
    case ignoresDemand, forgetsEarlierDemand, ignoresReturnedDemand, overflows, servesNone
    case holdsEndBack
    case deliversAfterCancel, finishesAfterCancel, servesAfterEnd
    case recursion, nestedSignals, locksWhileDelivering, keepsSubscriber, sharesPosition
    case locksOthersOut, losesDemandWhileServing, keepsWork
  }

  let count: Int
  let fault: Fault
  /// The work that the subscription should release when it is over.
  let work: (@Sendable () -> Void)?
  let shared = Position()

  init(count: Int, fault: Fault, work: (@Sendable () -> Void)? = nil) {
    self.count = count
    self.fault = fault
    self.work = work
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == Never {
    let downstream = AnySubscriber(subscriber)
    if fault == .startsWithValue { _ = downstream.receive(0) }
    if fault == .noSubscription { return downstream.receive(completion: .finished) }
    let position = fault == .sharesPosition ? shared : Position()
    let line = BrokenLine(
      count: count, fault: fault, work: work, position: position, downstream: downstream)
    downstream.receive(subscription: line)
    if fault == .secondSubscription { downstream.receive(subscription: line) }
    if count == 0, fault != .holdsEndBack { line.request(.none) }
  }

  /// How far a subscription, or all of them, have come.
  final class Position: Sendable {
    let state = Lock(0)
  }
}

/// A subscription that serves numbers with a fault.
final class BrokenLine: Subscription {
  typealias Fault = BrokenSource.Fault

  private struct State: Sendable {
    var downstream: AnySubscriber<Int, Never>?
    var demand = Subscribers.Demand.none
    var isServing = false
    var isCancelled = false
    var isOver = false
  }

  private let count: Int
  private let fault: Fault
  private let work: (@Sendable () -> Void)?
  private let position: BrokenSource.Position
  private let state: Lock<State>
  private let delivery = DispatchSemaphore(value: 1)
  private let ownersLock = NSRecursiveLock()

  init(
    count: Int, fault: Fault, work: (@Sendable () -> Void)?, position: BrokenSource.Position,
    downstream: AnySubscriber<Int, Never>
  ) {
    self.count = count
    self.fault = fault
    self.work = fault == .keepsWork ? work : nil
    self.position = position
    state = Lock(State(downstream: downstream))
  }

  func request(_ demand: Subscribers.Demand) {
    if fault == .silent { return }
    if fault == .locksOthersOut { ownersLock.withLock {} }
    let demand = fault == .servesNone && demand == .none ? .max(1) : demand
    if fault == .servesAfterEnd, state.withLock({ $0.isOver }) {
      _ = state.withLock { $0.downstream }?.receive(99)
    }
    let serves = state.withLock { state in
      switch fault {
      case .losesDemandWhileServing where state.isServing: return false
      case .forgetsEarlierDemand: state.demand = max(state.demand, demand)
      case .overflows:
        state.demand = state.demand + demand == .unlimited ? .max(1) : state.demand + demand
      default: state.demand += demand
      }
      if fault == .recursion || fault == .nestedSignals { return true }
      if state.isServing { return false }
      state.isServing = true
      return true
    }
    if serves { serve() }
  }

  func cancel() {
    if fault == .locksOthersOut { ownersLock.withLock {} }
    if fault == .locksWhileDelivering {
      delivery.wait()
      delivery.signal()
    }
    let released = state.withLock { state in
      state.isCancelled = true
      let isKept =
        fault == .keepsSubscriber || fault == .finishesAfterCancel
        || fault == .deliversAfterCancel
      return isKept || state.isServing ? nil : state.downstream.take()
    }
    withExtendedLifetime(released) {}
  }

  private func serve() {
    while let (downstream, value) = next() {
      let more = deliver(value, to: downstream)
      state.withLock { $0.demand += fault == .ignoresReturnedDemand ? .none : more }
    }
    let ended = state.withLock { state -> AnySubscriber<Int, Never>? in
      state.isServing = false
      let isDone = position.state.withLock { $0 } >= count
      if fault == .holdsEndBack, state.demand == .none { return nil }
      guard isDone, !state.isOver else { return nil }
      if state.isCancelled, fault != .finishesAfterCancel { return nil }
      state.isOver = true
      let isKept = fault == .keepsSubscriber || fault == .servesAfterEnd
      return isKept ? state.downstream : state.downstream.take()
    }
    guard let ended else { return releaseIfCancelled() }
    ended.receive(completion: .finished)
    if fault == .valueAfterEnd { _ = ended.receive(100) }
    if fault == .secondEnd { ended.receive(completion: .finished) }
  }

  private func releaseIfCancelled() {
    let released = state.withLock { state in
      state.isCancelled && fault != .keepsSubscriber ? state.downstream.take() : nil
    }
    withExtendedLifetime(released) {}
  }

  private func next() -> (AnySubscriber<Int, Never>, Int)? {
    state.withLock { state in
      guard let downstream = state.downstream, !state.isOver,
        !state.isCancelled || fault == .deliversAfterCancel,
        state.demand > .none || fault == .ignoresDemand
      else { return nil }
      let value = position.state.withLock { position -> Int? in
        guard position < count else { return nil }
        position += 1
        return position
      }
      guard let value else { return nil }
      state.demand -= 1
      return (downstream, value)
    }
  }

  private func deliver(_ value: Int, to downstream: AnySubscriber<Int, Never>) -> Subscribers.Demand
  {
    if fault == .locksOthersOut { return ownersLock.withLock { downstream.receive(value) } }
    guard fault == .locksWhileDelivering else { return downstream.receive(value) }
    delivery.wait()
    defer { delivery.signal() }
    return downstream.receive(value)
  }
}
