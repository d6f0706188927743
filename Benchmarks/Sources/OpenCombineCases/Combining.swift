import Cases
import OpenCombine

enum Combining {
  @inline(never)
  static func zip(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.zip((1...size).publisher).sink { sum.add($0 &* $1) }.cancel()
    return sum.value
  }
}
