import Cases
import OpenCombine

/// The stages are called on a publisher of any type.
///
/// On a sequence or a `Just` itself, OpenCombine has operators that do the work eagerly, before
/// there is a subscriber.
enum Chains {
  @inline(never)
  static func plain(_ size: Int) -> Int {
    threeStages((0..<size).publisher)
  }

  private static func threeStages<Source: Publisher>(_ source: Source) -> Int
  where Source.Output == Int, Source.Failure == Never {
    let sum = Sum()
    source
      .map { $0 &* 3 }
      .filter { $0 & 1 == 0 }
      .map { $0 &+ 1 }
      .sink { sum.add($0) }
      .cancel()
    return sum.value
  }

  @inline(never)
  static func oneStage(_ size: Int) -> Int {
    oneStage(of: (0..<size).publisher)
  }

  private static func oneStage<Source: Publisher>(of source: Source) -> Int
  where Source.Output == Int, Source.Failure == Never {
    let sum = Sum()
    source.map { $0 &* 3 }.sink { sum.add($0) }.cancel()
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
    twelveStages(of: (0..<size).publisher)
  }

  private static func twelveStages<Source: Publisher>(of source: Source) -> Int
  where Source.Output == Int, Source.Failure == Never {
    let sum = Sum()
    let half =
      source
      .map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &* 3 }.filter { $0 > 1 }
      .map { $0 &+ 2 }.filter { $0 > 2 }
    let whole = half.map { $0 &* 5 }.filter { $0 > 3 }
      .map { $0 &+ 3 }.filter { $0 > 4 }.map { $0 &* 7 }.filter { $0 > 5 }
    whole.sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func flatMap(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.flatMap { Just($0) }.sink { sum.add($0) }.cancel()
    return sum.value
  }
}
