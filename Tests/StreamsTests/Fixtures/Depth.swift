import Synchronization

/// The greatest number of calls that were active at the same time.
final class Depth: Sendable {
  private let current = Atomic<Int>(0)
  private let greatest = Atomic<Int>(0)

  var count: Int { greatest.load(ordering: .sequentiallyConsistent) }

  func enter() {
    let now = current.add(1, ordering: .sequentiallyConsistent).newValue
    _ = greatest.max(now, ordering: .sequentiallyConsistent)
  }

  func leave() {
    current.subtract(1, ordering: .sequentiallyConsistent)
  }
}
