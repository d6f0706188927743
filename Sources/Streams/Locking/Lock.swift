import Synchronization

/// A lock with state that is reachable only while the lock is held.
///
/// Never call user code and never release a user's value inside `withLock`. Take what is needed out
/// and use it afterwards (contract C-6).
///
/// Keep closures in a struct in this state, never bare or in a tuple. Bare closures are wrapped
/// again for the generic state at each access, and the wrappers add up.
@usableFromInline package struct Lock<State>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<State>
  // The standard library's contended path is not instrumented, so ThreadSanitizer cannot see the
  // order that it establishes. An acquiring load and a releasing store establish it again in
  // instrumented code. On the usual processors both are plain moves.
  @usableFromInline let order = Atomic<UInt8>(0)

  @inlinable package init(_ initial: consuming sending State) {
    mutex = Mutex(initial)
  }

  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (state: inout sending State) throws(Failure) -> sending Result in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&state)
    }
  }
}
