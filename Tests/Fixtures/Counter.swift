import Synchronization

/// Counts from any thread.
package final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  package var value: Int { count.load(ordering: .acquiring) }
  package func add() { count.add(1, ordering: .acquiringAndReleasing) }
}
