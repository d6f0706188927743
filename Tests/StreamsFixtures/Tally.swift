import Synchronization

/// Counts, from any thread.
package final class Tally: Sendable {
  private let total = Atomic<Int>(0)

  package init() {}

  package var count: Int { total.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  package func add() -> Int {
    total.add(1, ordering: .sequentiallyConsistent).newValue
  }
}
