import Synchronization

/// The greatest number of calls that were active at the same time.
package final class Depth: Sendable {
  private let current = Atomic<Int>(0)
  private let greatest = Atomic<Int>(0)

  package init() {}

  package var count: Int { greatest.load(ordering: .sequentiallyConsistent) }

  package func enter() {
    let now = current.add(1, ordering: .sequentiallyConsistent).newValue
    _ = greatest.max(now, ordering: .sequentiallyConsistent)
  }

  package func leave() {
    current.subtract(1, ordering: .sequentiallyConsistent)
  }
}
