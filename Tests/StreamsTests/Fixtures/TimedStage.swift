import Streams
import Testing

/// A timed operator, for the tests of the contract of all timed operators.
struct TimedStage: Sendable, CustomTestStringConvertible {
  typealias Stream = AnyPublisher<Int, TestError>

  let name: String
  /// Whether it requests everything, and keeps values without demand.
  var isGreedy = false
  let attach: @Sendable (Stream, any Scheduler) -> Stream

  var testDescription: String { name }
}
