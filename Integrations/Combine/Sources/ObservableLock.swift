import Synchronization

/// A lock around state, whose order ThreadSanitizer can see.
///
/// The contended path of `Mutex` is not instrumented. An acquiring load and a releasing store
/// repeat the order in instrumented code. On common processors, both are plain moves.
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
