import Cases
import OpenCombine

/// The parts that are written with Combine; Streams is not imported, since both name types alike.
enum CombineSide {
  static func add<Source: Publisher>(_ source: Source, to sum: Sum)
  where Source.Output == Int, Source.Failure == Never {
    source.sink { sum.add($0) }.cancel()
  }

  static func numbers(_ size: Int) -> some Publisher<Int, Never> {
    tripled((0..<size).publisher)
  }

  /// The operator of every publisher: a sequence's own does its work before there is a subscriber.
  private static func tripled<Source: Publisher>(_ source: Source) -> some Publisher<Int, Never>
  where Source.Output == Int, Source.Failure == Never {
    source.map { $0 &* 3 }
  }
}
