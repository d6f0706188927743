/// State that belongs to the delivering context, without a lock and without atomics.
///
/// If an upstream breaks the rules and signals from inside a signal, it finds the state busy and is
/// refused. The state is never accessed twice at once.
@usableFromInline final class Confined<State>: @unchecked Sendable {
  // `@unchecked` is correct: signals come one at a time, each after the end of the previous one
  // (contract C-1; Reactive Streams 1.0.4, rules 1.3 and 2.11), and only signals access this state.
  // In a subject, only the thread that has the turn accesses it, and an atomic step gives and takes
  // the turn.
  //
  // The state is behind a pointer and not a stored property, and `isBusy` itself is not checked.
  // `isBusy` already guards against overlapping access, and the runtime's own checks cost more than
  // most operators do.
  @usableFromInline let state: UnsafeMutablePointer<State>
  @usableFromInline let mark = LeakMark("confined")
  @exclusivity(unchecked) @usableFromInline var isBusy = false

  @inlinable init(_ initial: State) {
    state = .allocate(capacity: 1)
    state.initialize(to: initial)
  }

  @inlinable deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Works on the state in place.
  ///
  /// From inside another access, it returns nil and does not run the closure.
  @inlinable func access<Result, Failure>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard !isBusy else { return nil }
    isBusy = true
    defer { isBusy = false }
    return try body(&state.pointee)
  }
}
