import Cases
import Streams

enum Subscribing {
  @inline(never)
  static func building(_ size: Int) -> Int {
    let sum = Sum()
    for number in 0..<size {
      _ = Just(number).map { $0 &* 3 }.filter { $0 >= 0 }.map { $0 &+ 1 }.sink { sum.add($0) }
    }
    return sum.value
  }

  /// Each subscription is to the same pipeline.
  @inline(never)
  static func toOne(_ pipeline: AnyPublisher<Int, Never>, _ size: Int) -> Int {
    let sum = Sum()
    for _ in 0..<size { _ = pipeline.sink { sum.add($0) } }
    return sum.value
  }

  static let pipeline = Just(1).map { $0 &* 3 }.filter { $0 >= 0 }.map { $0 &+ 1 }
    .eraseToAnyPublisher()
}
