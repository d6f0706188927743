import Synchronization

/// One subscriber's standing with a subject: its demand, and whether it is still there.
@usableFromInline final class SubjectLink: Sendable {
  @usableFromInline let mark = LiveMark(.subjectLink)
  @usableFromInline let number = Atomic<Int>(-1)
  @usableFromInline let place = Atomic<Int>(0)
  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let active = Atomic<Bool>(true)

  @inlinable init() {}

  /// Where the subject has it among its subscribers; -1 before that.
  ///
  /// Like the position it is for whoever has the subject's turn.
  @inlinable var index: Int {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }

  /// The place in the whole sequence of the value to get next, where the subject keeps values.
  @inlinable var position: Int {
    get { place.load(ordering: .relaxed) }
    set { place.store(newValue, ordering: .relaxed) }
  }

  @inlinable var isActive: Bool { active.load(ordering: .relaxed) }

  /// Leaves; false if it had left before.
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

  /// Takes one off the demand, if there is any.
  ///
  /// Only the deliverer claims.
  @inlinable func claim() -> Bool {
    let demand = demand.load(ordering: .relaxed)
    if demand == .max { return true }
    guard demand > 0 else { return false }
    self.demand.subtract(1, ordering: .relaxed)
    return true
  }
}
