import Synchronization

/// The state of one subscriber of a subject: its demand, and whether it is still attached.
@usableFromInline final class SubjectLink: Sendable {
  @usableFromInline let mark = LeakMark("subjectLink")
  @usableFromInline let number = Atomic<Int>(-1)
  @usableFromInline let place = Atomic<Int>(0)
  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let active = Atomic<Bool>(true)

  @inlinable init() {}

  /// The index among the subject's subscribers, or -1 before the subscriber is attached.
  ///
  /// Only the thread that has the subject's turn uses it. The same applies to the position.
  @inlinable var index: Int {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }

  /// The place of the next value in the whole sequence, if the subject keeps values.
  @inlinable var position: Int {
    get { place.load(ordering: .relaxed) }
    set { place.store(newValue, ordering: .relaxed) }
  }

  @inlinable var isActive: Bool { active.load(ordering: .relaxed) }

  /// Detaches the subscriber, and returns false if it was detached before.
  @inlinable func deactivate() -> Bool {
    active.exchange(false, ordering: .relaxed)
  }

  @inlinable func add(_ more: Subscribers.Demand) {
    guard more > .none else { return }
    var before = demand.load(ordering: .relaxed)
    while true {
      let after = (Subscribers.Demand(count: before) + more).count
      let (exchanged, original) = demand.compareExchange(
        expected: before, desired: after, ordering: .relaxed)
      if exchanged { return }
      before = original
    }
  }

  /// Takes one from the demand, if there is any.
  ///
  /// Only the delivering thread calls this method.
  @inlinable func claim() -> Bool {
    let demand = demand.load(ordering: .relaxed)
    if demand == .max { return true }
    guard demand > 0 else { return false }
    self.demand.subtract(1, ordering: .relaxed)
    return true
  }
}
