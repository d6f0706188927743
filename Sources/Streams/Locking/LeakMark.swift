import Synchronization

/// A property of a class that belongs to a subscription, by which tests detect objects that outlive
/// it.
///
/// It counts in debug builds if a ``LeakCounter`` is current. In other builds it does nothing.
@frozen @usableFromInline package struct LeakMark: ~Copyable, Sendable {
  #if DEBUG
    @usableFromInline let counter: LeakCounter.Counter?

    /// - Parameter name: The name by which a test reports an object of the class.
    @usableFromInline package init(_ name: StaticString) {
      counter = LeakCounter.current?.counter(of: name)
      counter?.made.add(1, ordering: .relaxed)
      counter?.alive.add(1, ordering: .relaxed)
    }

    deinit {
      counter?.alive.subtract(1, ordering: .relaxed)
    }
  #else
    @inlinable package init(_ name: StaticString) {}
  #endif
}
