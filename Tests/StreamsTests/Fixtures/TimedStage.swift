import Streams
import Testing

/// An operator that times, to be asked what all of them promise.
struct TimedStage: Sendable, CustomTestStringConvertible {
  typealias Stream = AnyPublisher<Int, TestError>

  let name: String
  /// Whether it asks for everything, and keeps what is not asked for.
  var isGreedy = false
  let attach: @Sendable (Stream, any Scheduler) -> Stream

  var testDescription: String { name }
}
