import Synchronization

/// One subscriber's standing with a subject: its demand, and whether it is still there.
@usableFromInline
final class SubjectLink: Sendable {
  @usableFromInline let mark = LiveMark(.subjectLink)
  @usableFromInline let number = Atomic<Int>(-1)
  @usableFromInline let demand = Atomic<Int>(0)
  @usableFromInline let active = Atomic<Bool>(true)
  /// True from the start: a new subscriber has seen nothing yet.
  @usableFromInline let owed = Atomic<Bool>(true)

  @inlinable init() {}

  /// Its place in the order of subscribers, given under the subject's lock.
  @inlinable
  var id: Int {
    get { number.load(ordering: .relaxed) }
    set { number.store(newValue, ordering: .relaxed) }
  }

  @inlinable var isActive: Bool { active.load(ordering: .relaxed) }

  /// Whether the latest value was held back for lack of demand.
  ///
  /// Written by the deliverer only.
  @inlinable
  var owesLatest: Bool {
    get { owed.load(ordering: .relaxed) }
    set { owed.store(newValue, ordering: .relaxed) }
  }

  /// Leaves; false if it had left before.
  @inlinable
  func deactivate() -> Bool {
    active.exchange(false, ordering: .relaxed)
  }

  @inlinable
  func add(_ more: Subscribers.Demand) {
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
  @inlinable
  func claim() -> Bool {
    let demand = demand.load(ordering: .relaxed)
    if demand == .max { return true }
    guard demand > 0 else { return false }
    self.demand.subtract(1, ordering: .relaxed)
    return true
  }
}
