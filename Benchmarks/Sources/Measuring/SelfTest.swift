import CAllocations

/// A test that proves that the counter sees the allocations of the Swift runtime.
public enum SelfTest {
  private final class Object {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  public static func countsAllocations() -> Bool {
    guard allocations_countable() else { return true }
    let known = 1_000
    var kept: [Object] = []
    kept.reserveCapacity(known)
    allocations_start()
    for number in 0..<known { kept.append(Object(number)) }
    let counted = allocations_stop()
    return withExtendedLifetime(kept) { counted >= known && counted < known + 10 }
  }
}
