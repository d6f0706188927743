import Cases
import OpenCombine

/// The stages are called on a publisher of any type, as in ``Chains``.
enum Folding {
  @inline(never)
  static func scan(_ size: Int) -> Int {
    let sum = Sum()
    scan((0..<size).publisher).sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func reduce(_ size: Int) -> Int {
    let sum = Sum()
    reduce((0..<size).publisher).sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func prefix(_ size: Int) -> Int {
    let sum = Sum()
    prefix((0..<Int.max).publisher, size).sink { sum.add($0) }.cancel()
    return sum.value
  }

  @inline(never)
  static func share(_ size: Int) -> Int {
    let sum = Sum()
    (0..<size).publisher.share().sink { sum.add($0) }.cancel()
    return sum.value
  }

  private static func scan<Source: Publisher>(
    _ source: Source
  ) -> Publishers.Scan<Source, Int> where Source.Output == Int {
    source.scan(0) { $0 &+ $1 }
  }

  private static func reduce<Source: Publisher>(
    _ source: Source
  ) -> Publishers.Reduce<Source, Int> where Source.Output == Int {
    source.reduce(0) { $0 &+ $1 }
  }

  private static func prefix<Source: Publisher>(
    _ source: Source, _ size: Int
  ) -> Publishers.Output<Source> where Source.Output == Int {
    source.prefix(size)
  }
}
