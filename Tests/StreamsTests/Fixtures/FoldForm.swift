import Streams
import Testing

/// An operator that makes one value of all; its closure, if it has one, calls the touch.
struct FoldForm: Sendable, CustomTestStringConvertible {
  let name: String
  /// What it makes of 1, 2, 3; nil where it makes nothing.
  let result: String?
  let attach: @Sendable (Stage.Stream, @escaping Stage.Touch) -> AnyPublisher<String, TestError>

  var testDescription: String { name }

  init<Result: Publisher>(
    _ name: String, result: String?,
    attach: @escaping @Sendable (Stage.Stream, @escaping Stage.Touch) -> Result
  ) where Result.Failure == TestError {
    self.name = name
    self.result = result
    self.attach = { base, touch in attach(base, touch).map { "\($0)" }.eraseToAnyPublisher() }
  }

  static let all: [FoldForm] = [
    FoldForm("collect()", result: "[1, 2, 3]") { base, _ in base.collect() },
    FoldForm("count", result: "3") { base, _ in base.count() },
    FoldForm("ignoreOutput", result: nil) { base, _ in base.ignoreOutput() },
    FoldForm("last", result: "3") { base, _ in base.last() },
    FoldForm("last(where:)", result: "3") { base, touch in
      base.last { _ in
        touch()
        return true
      }
    },
    FoldForm("contains(_:)", result: "false") { base, _ in base.contains(-1) },
    FoldForm("contains(where:)", result: "false") { base, touch in
      base.contains { _ in
        touch()
        return false
      }
    },
    FoldForm("allSatisfy", result: "true") { base, touch in
      base.allSatisfy { _ in
        touch()
        return true
      }
    },
    FoldForm("min(by:)", result: "1") { base, touch in
      base.min {
        touch()
        return $0 < $1
      }
    },
    FoldForm("max(by:)", result: "3") { base, touch in
      base.max {
        touch()
        return $0 < $1
      }
    },
    FoldForm("tryReduce", result: "6") { base, touch in
      base.tryReduce(0) { (sum: Int, value: Int) throws(TestError) -> Int in
        touch()
        return sum + value
      }
    },
  ]
}
