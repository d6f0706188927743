import Streams
import Testing

/// An operator that makes one value of all; its closure, if it has one, calls the touch.
struct FoldForm: Sendable, CustomTestStringConvertible {
  let name: String
  /// What it makes of 1, 2, 3; nil where it makes nothing.
  let result: String?
  let attach: @Sendable (Stage.Stream, @escaping Stage.Touch) -> AnyPublisher<String, TestError>

  var testDescription: String { name }
}
