import Streams
import Testing

/// A timed operator, for the tests of the contract of all timed operators.
package struct TimedStage: Sendable, CustomTestStringConvertible {
  package typealias Stream = AnyPublisher<Int, TestError>

  package let name: String
  /// Whether it requests everything, and keeps values without demand.
  package let isGreedy: Bool
  package let attach: @Sendable (Stream, any Scheduler) -> Stream

  package init(
    name: String, isGreedy: Bool = false,
    attach: @escaping @Sendable (Stream, any Scheduler) -> Stream
  ) {
    self.name = name
    self.isGreedy = isGreedy
    self.attach = attach
  }

  package var testDescription: String { name }
}
