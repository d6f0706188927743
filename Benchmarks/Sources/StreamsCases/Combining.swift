import Cases
import Streams

enum Combining {
  @inline(never)
  static func zip(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.zip((1...size).publisher).sink { sum.add($0 &* $1) }.cancel()
    return sum.value
  }

  @inline(never)
  static func merge(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.merge(with: (1...size).publisher).sink { sum.add($0) }.cancel()
    return sum.value
  }

  /// Returns the last row, since the libraries combine the earlier values in different orders.
  @inline(never)
  static func combineLatest(_ size: Int) -> Int {
    let last = Sum()
    (0..<size).publisher.combineLatest((1...size).publisher)
      .sink { last.value = $0 &+ $1 }
      .cancel()
    return last.value
  }
}
