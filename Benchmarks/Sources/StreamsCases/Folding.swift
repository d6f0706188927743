import Cases
import Streams

enum Folding {
  @inline(never)
  static func scan(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.scan(0) { $0 &+ $1 }.sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func reduce(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.reduce(0) { $0 &+ $1 }.sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func prefix(_ size: Int) -> Int {
    let sum = Sum()
    (0..<Int.max).publisher.prefix(size).sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func share(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.share().sink { sum.add($0) }.cancel()
    return sum.value
  }
}
