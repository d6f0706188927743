import Streams
import Testing

/// An operator that makes one value of all; its closure, if it has one, calls the touch.
struct FoldForm: Sendable, CustomTestStringConvertible {
  let name: String
  /// Its result for 1, 2, 3; nil if it has none.
  let result: String?
  let attach: @Sendable (Stage.Stream, @escaping Stage.Touch) -> AnyPublisher<String, TestError>

  var testDescription: String { name }
}
