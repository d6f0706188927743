import Cases
import OpenCombine

enum Subscribing {
  @inline(never)
  static func building(_ size: Int) -> Int {
    let sum = Sum()
    for number in 0..<size { _ = stages(over: Just(number)).sink { sum.add($0) } }
    return sum.value
  }

  /// Each subscription is to the same pipeline.
  @inline(never)
  static func toOne(_ pipeline: AnyPublisher<Int, Never>, _ size: Int) -> Int {
    let sum = Sum()
    for _ in 0..<size { _ = pipeline.sink { sum.add($0) } }
    return sum.value
  }

  static func pipeline() -> AnyPublisher<Int, Never> {
    stages(over: Just(1)).eraseToAnyPublisher()
  }

  /// Called on `Just` itself, these operators would do their work eagerly.
  private static func stages<Source: Publisher>(
    over source: Source
  ) -> Publishers.Map<Publishers.Filter<Publishers.Map<Source, Int>>, Int>
  where Source.Output == Int, Source.Failure == Never {
    source.map { $0 &* 3 }.filter { $0 >= 0 }.map { $0 &+ 1 }
  }
}
