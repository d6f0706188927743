/// The state of the timer that runs.
@usableFromInline struct AlarmState: Sendable {
  @usableFromInline var id = 0
  @usableFromInline var deadline: Duration?
  @usableFromInline var timer: (any Cancellable)?

  @inlinable init() {}

  @inlinable func mustArm(for deadline: Duration) -> Bool {
    self.deadline.map { $0 > deadline } ?? true
  }

  @inlinable func isArmed(id: Int) -> Bool {
    self.id == id && deadline != nil
  }

  /// Records a timer that is about to be set, and returns the timer that it replaces.
  @inlinable mutating func arm(for deadline: Duration) -> (id: Int, stale: (any Cancellable)?) {
    id += 1
    self.deadline = deadline
    return (id, timer.take())
  }

  /// Keeps the timer that was set, and returns false if it is not wanted any more.
  @inlinable mutating func hold(_ timer: any Cancellable, id: Int) -> Bool {
    guard isArmed(id: id) else { return false }
    self.timer = timer
    return true
  }

  /// Forgets the timer and returns it.
  @inlinable mutating func reset() -> (any Cancellable)? {
    deadline = nil
    return timer.take()
  }
}
