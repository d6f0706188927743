import Cases
import Streams

enum Chains {
  @inline(never)
  static func plain(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher
      .map { $0 &* 3 }
      .filter { $0 & 1 == 0 }
      .map { $0 &+ 1 }
      .sink { sum.add($0) }
      .cancel()
    return sum.value
  }

  @inline(never)
  static func erased(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.eraseToAnyPublisher()
      .map { $0 &* 3 }.eraseToAnyPublisher()
      .filter { $0 & 1 == 0 }.eraseToAnyPublisher()
      .map { $0 &+ 1 }.eraseToAnyPublisher()
      .sink { sum.add($0) }
      .cancel()
    return sum.value
  }

  @inline(never)
  static func twelveStages(_ size: Int) -> Int {
    let sum = Sum()
    let four = (0..<size).publisher
      .map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 3 }.filter { $0 > 1 }
    let eight =
      four
      .map { $0 &+ 2 }.filter { $0 > 2 }.map { $0 &* 5 }.filter { $0 > 3 }
    let twelve =
      eight
      .map { $0 &+ 3 }.filter { $0 > 4 }.map { $0 &* 7 }.filter { $0 > 5 }
    twelve.sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func flatMap(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.flatMap { Just($0) }.sink { sum.add($0) }.cancel()
    return sum.value
  }
}
