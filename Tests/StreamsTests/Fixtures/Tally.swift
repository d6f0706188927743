import Synchronization

/// Counts, from any thread.
final class Tally: Sendable {
  private let total = Atomic<Int>(0)

  var count: Int { total.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  func add() -> Int {
    total.add(1, ordering: .sequentiallyConsistent).newValue
  }
}
