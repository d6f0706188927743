import Cases
import OpenCombine

/// The parts that use Combine, without an import of Streams, since both have types of the same
/// names.
enum CombineSide {
  static func add<Source: Publisher>(_ source: Source, to sum: Sum)
  where Source.Output == Int, Source.Failure == Never {
    source.sink { sum.add($0) }.cancel()
  }

  static func numbers(_ size: Int) -> some Publisher<Int, Never> {
    tripled((0..<size).publisher)
  }

  /// The operator of every publisher, since a sequence's own does its work before there is a
  /// subscriber.
  private static func tripled<Source: Publisher>(_ source: Source) -> some Publisher<Int, Never>
  where Source.Output == Int, Source.Failure == Never {
    source.map { $0 &* 3 }
  }
}
