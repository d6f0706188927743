import Cases
import Dispatch

enum ByHand {
  @inline(never)
  static func chain(_ size: Int) -> Int {
    var sum = 0
    for number in 0..<size {
      let tripled = number &* 3
      if tripled & 1 == 0 { sum &+= tripled &+ 1 }
    }
    return sum
  }

  @inline(never)
  static func twelveStages(_ size: Int) -> Int {
    var sum = 0
    for number in 0..<size {
      var value = number &+ 1
      guard value > 0 else { continue }
      value &*= 3
      guard value > 1 else { continue }
      value &+= 2
      guard value > 2 else { continue }
      value &*= 5
      guard value > 3 else { continue }
      value &+= 3
      guard value > 4 else { continue }
      value &*= 7
      guard value > 5 else { continue }
      sum &+= value
    }
    return sum
  }

  @inline(never)
  static func scan(_ size: Int) -> Int {
    var state = 0
    var sum = 0
    for number in 0..<size {
      state &+= number
      sum &+= state
    }
    return sum
  }

  /// A list of closures without lock, demand or end.
  @inline(never)
  static func send(_ size: Int, to subscribers: Int) -> Int {
    let sum = Sum()
    let handlers = (0..<subscribers).map { _ in { @Sendable (value: Int) in sum.add(value) } }
    for number in 0..<size {
      for handler in handlers { handler(number) }
    }
    return sum.value
  }

  /// Works for some hundred nanoseconds on each number, without shared data.
  ///
  /// This shows the speedup of a second thread on this machine.
  @inline(never)
  static func spin(_ size: Int, _ number: (Int) -> Int) -> Int {
    var sum = 0
    for index in 0..<size {
      var state = UInt64(truncatingIfNeeded: index) | 1
      for _ in 0..<200 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
      }
      sum &+= number(index) &* 3 &+ (state == 0 ? 2 : 1)
    }
    return sum
  }

  private static let queue = DispatchQueue(label: "benchmark.by-hand")

  /// Runs one job for each value.
  @inline(never)
  static func hop(_ size: Int) -> Int {
    let sum = Sum()
    for number in 0..<size { queue.async { sum.add(number) } }
    queue.sync {}
    return sum.value
  }
}
