import Streams
import Testing

/// An operator that makes one value of all; its closure, if it has one, calls the touch.
package struct FoldForm: Sendable, CustomTestStringConvertible {
  package let name: String
  /// Its result for 1, 2, 3; nil if it has none.
  package let result: String?
  package let attach:
    @Sendable (Stage.Stream, @escaping Stage.Touch) -> AnyPublisher<String, TestError>

  package init(
    name: String, result: String?,
    attach:
      @escaping @Sendable (Stage.Stream, @escaping Stage.Touch) -> AnyPublisher<
        String, TestError
      >
  ) {
    self.name = name
    self.result = result
    self.attach = attach
  }

  package var testDescription: String { name }
}
