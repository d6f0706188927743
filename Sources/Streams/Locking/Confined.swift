/// State that belongs to the delivering context: no lock, no atomic.
///
/// An upstream that breaks the rules and signals from inside a signal finds it busy and is turned
/// away, instead of touching it twice at once.
@usableFromInline final class Confined<State>: @unchecked Sendable {
  // Unchecked is right: signals come one at a time, each after the end of the one before (contract
  // C-1; Reactive Streams 1.0.4, rules 1.3 and 2.11), and nothing but signals reaches this; or, in a
  // subject, nobody but who has the turn, which an atomic step gives and takes back.
  //
  // A pointer and not a stored property, and no check of `isBusy` itself: it guards against
  // overlapping access already, and the runtime's own checks cost more than most operators do.
  @usableFromInline let state: UnsafeMutablePointer<State>
  @usableFromInline let mark = LiveMark(.confined)
  @exclusivity(unchecked) @usableFromInline var isBusy = false

  @inlinable init(_ initial: State) {
    state = .allocate(capacity: 1)
    state.initialize(to: initial)
  }

  @inlinable deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Works on the state in place; nil, and not at all, from inside another access.
  @inlinable func access<Result, Failure>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard !isBusy else { return nil }
    isBusy = true
    defer { isBusy = false }
    return try body(&state.pointee)
  }
}
