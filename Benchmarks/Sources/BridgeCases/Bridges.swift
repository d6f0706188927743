import Cases
import Streams
import StreamsCombine

enum Bridges {
  @inline(never)
  static func toCombine(_ size: Int) -> Int {
    let sum = Sum()
    CombineSide.add((0..<size).publisher.map { $0 &* 3 }.combinePublisher, to: sum)
    return sum.value
  }

  @inline(never)
  static func fromCombine(_ size: Int) -> Int {
    let sum = Sum()
    CombineSide.numbers(size).streamsPublisher.sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func throughCombine(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher
      .map { $0 &* 3 }
      .combinePublisher
      .streamsPublisher
      .sink { sum.add($0) }
      .cancel()
    return sum.value
  }
}
