import Synchronization

/// State that is reachable only while a lock is held, in an order that ThreadSanitizer sees.
///
/// The contended path of `Mutex` is not instrumented. An acquiring load and a releasing store say the
/// order again in code that is; on the usual processors both are plain moves.
@usableFromInline struct ObservableLock<State: Sendable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<State>
  @usableFromInline let order = Atomic<UInt8>(0)

  @inlinable init(_ initial: State) {
    mutex = Mutex(initial)
  }

  @inlinable borrowing func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    mutex.withLock { state in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return body(&state)
    }
  }
}
