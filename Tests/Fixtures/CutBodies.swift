import Foundation
import Streams
import StreamsTesting

extension Data {
  /// The bytes that a text of the corpus stands for.
  package init(hex: String) {
    let digits = hex.utf8.map { UInt8(Character(Unicode.Scalar($0)).hexDigitValue ?? 0) }
    self.init(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// This body as one chunk, as chunks of one byte, cut in two at each place, and cut at random
  /// places.
  package func cuts(seed: UInt64, random: Int = 8) -> [[Data]] {
    var generator = SeededGenerator(seed: seed)
    let bytes = Array(self)
    let halves = (0...bytes.count).map { [Data(bytes[..<$0]), Data(bytes[$0...])] }
    let many = (0..<random).map { _ in
      generator.cut(bytes, pieces: generator.number(2...9)).map { Data($0) }
    }
    return [[self], bytes.map { Data([$0]) }] + halves + many
  }
}

extension Array where Element == Data {
  /// These chunks as a publisher.
  package var body: AnyPublisher<Data, any Error> {
    publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }
}

/// The failure of a body that ends early.
package struct Cut: Error {
  package init() {}
}

extension Publisher where Failure == any Error {
  /// This publisher with a failure behind its values.
  package var cut: AnyPublisher<Output, any Error> {
    append(Fail(error: Cut() as any Error)).eraseToAnyPublisher()
  }

  /// All values that come at once, and the failure behind them.
  package func outcome(
    demand: Subscribers.Demand = .unlimited
  ) -> (values: [Output], failure: (any Error)?, hasFinished: Bool) {
    let subscriber = TestSubscriber<Output, any Error>(demand: demand) { _, _ in
      demand == .unlimited ? .none : .max(1)
    }
    subscribe(subscriber)
    defer { subscriber.cancel() }
    return (subscriber.values, subscriber.failure, subscriber.isFinished)
  }
}
