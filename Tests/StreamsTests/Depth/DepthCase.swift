import Streams
import StreamsTesting
import Testing

/// A way to send very many values through an operator.
struct DepthCase: Sendable, CustomTestStringConvertible {
  typealias Make = @Sendable (IntStream, TestScheduler) -> AnyPublisher<Void, TestError>

  let testDescription: String
  /// The names of the operators that it goes through.
  let operators: Set<String>
  let make: Make

  /// - Parameter names: The name of the operator; a further spelling's details after a colon.
  init<Stream: Publisher>(
    _ names: String..., make: @escaping @Sendable (IntStream, TestScheduler) -> Stream
  ) where Stream.Failure == TestError {
    testDescription = names.joined(separator: ", ")
    operators = Set(names.map { String($0.prefix { $0 != ":" }) })
    self.make = { make($0, $1).map { _ in }.eraseToAnyPublisher() }
  }

  static let all: [DepthCase] =
    mapping + choosing + folding + watching + going + combining + following + sharing + timing
}

extension DepthCase {
  private static let mapping: [DepthCase] = [
    DepthCase("map") { source, _ in source.map { $0 + 1 } },
    DepthCase("map: key path") { source, _ in source.map(\.description) },
    DepthCase("map: key paths") { source, _ in source.map(\.self, \.description, \.hashValue) },
    DepthCase("tryMap", "mapError") { source, _ in
      source.tryMap { (value: Int) throws -> Int in value }.mapError {
        ($0 as? TestError) ?? .third
      }
    },
    DepthCase("setFailureType", "assertNoFailure") { source, _ in
      source.assertNoFailure().setFailureType(to: TestError.self)
    },
    DepthCase("compactMap") { source, _ in source.compactMap { Optional($0) } },
    DepthCase("tryCompactMap") { source, _ in
      source.tryCompactMap { (value: Int) throws(TestError) -> Int? in value }
    },
    DepthCase("scan") { source, _ in source.scan(0) { $1 } },
    DepthCase("tryScan") { source, _ in
      source.tryScan(0) { (_: Int, value: Int) throws(TestError) -> Int in value }
    },
    DepthCase("replaceNil") { source, _ in source.map { Optional($0) }.replaceNil(with: 0) },
    DepthCase("encode", "decode") { source, _ in
      let coder = LineCoder(touch: {})
      return source.encode(encoder: coder).decode(type: Int.self, decoder: coder)
        .mapError { ($0 as? TestError) ?? .third }
    },
    DepthCase("materialize", "dematerialize") { source, _ in source.materialize().dematerialize() },
    DepthCase("eraseToAnyPublisher") { source, _ in source.eraseToAnyPublisher() },
    DepthCase("print") { source, _ in source.print("", to: NoOutput()) },
  ]

  private static let choosing: [DepthCase] = [
    DepthCase("filter") { source, _ in source.filter { $0 >= 0 } },
    DepthCase("filter: all dropped") { source, _ in source.filter { $0 < 0 } },
    DepthCase("tryFilter") { source, _ in
      source.tryFilter { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("removeDuplicates") { source, _ in source.removeDuplicates() },
    DepthCase("removeDuplicates: all dropped") { source, _ in
      source.removeDuplicates { _, _ in true }
    },
    DepthCase("tryRemoveDuplicates") { source, _ in
      source.tryRemoveDuplicates { (last: Int, new: Int) throws(TestError) -> Bool in last == new }
    },
    DepthCase("prefix") { source, _ in source.prefix(.max) },
    DepthCase("prefix: while") { source, _ in source.prefix { $0 >= 0 } },
    DepthCase("prefix: until") { source, _ in
      source.prefix(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))
    },
    DepthCase("tryPrefix") { source, _ in
      source.tryPrefix { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("dropFirst") { source, _ in source.dropFirst(.max) },
    DepthCase("drop: while") { source, _ in source.drop { $0 >= 0 } },
    DepthCase("drop: until") { source, _ in
      source.drop(untilOutputFrom: Just(1).setFailureType(to: TestError.self))
    },
    DepthCase("tryDrop") { source, _ in
      source.tryDrop { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("output") { source, _ in source.output(in: 0...) },
    DepthCase("first") { source, _ in source.first { $0 < 0 } },
    DepthCase("tryFirst") { source, _ in
      source.tryFirst { (value: Int) throws(TestError) -> Bool in value < 0 }
    },
    DepthCase("last") { source, _ in source.last() },
    DepthCase("tryLast") { source, _ in
      source.tryLast { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
  ]

  private static let folding: [DepthCase] = [
    DepthCase("collect") { source, _ in source.collect() },
    DepthCase("collect: count") { source, _ in source.collect(3) },
    DepthCase("count") { source, _ in source.count() },
    DepthCase("ignoreOutput") { source, _ in source.ignoreOutput() },
    DepthCase("reduce") { source, _ in source.reduce(0) { $1 } },
    DepthCase("tryReduce") { source, _ in
      source.tryReduce(0) { (_: Int, value: Int) throws(TestError) -> Int in value }
    },
    DepthCase("contains") { source, _ in source.contains(-1) },
    DepthCase("tryContains") { source, _ in
      source.tryContains { (value: Int) throws(TestError) -> Bool in value < 0 }
    },
    DepthCase("allSatisfy") { source, _ in source.allSatisfy { $0 >= 0 } },
    DepthCase("tryAllSatisfy") { source, _ in
      source.tryAllSatisfy { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("min") { source, _ in source.min() },
    DepthCase("tryMin") { source, _ in
      source.tryMin { (first: Int, second: Int) throws(TestError) -> Bool in first < second }
    },
    DepthCase("max") { source, _ in source.max() },
    DepthCase("tryMax") { source, _ in
      source.tryMax { (first: Int, second: Int) throws(TestError) -> Bool in first < second }
    },
  ]

  private static let watching: [DepthCase] = [
    DepthCase("context") { source, _ in source.context(DepthKey.self, 1) },
    DepthCase("handleEvents") { source, _ in
      source.handleEvents(receiveOutput: { _ in }, receiveRequest: { _ in })
    },
    DepthCase("breakpoint") { source, _ in source.breakpoint(receiveOutput: { _ in false }) },
    DepthCase("breakpointOnError") { source, _ in source.breakpointOnError() },
  ]

  private static let going: [DepthCase] = [
    DepthCase("catch") { source, _ in source.catch { _ in source } },
    DepthCase("catch: the replacement's values") { source, _ in
      Fail<Int, TestError>(error: .first).catch { _ in source }
    },
    DepthCase("tryCatch") { source, _ in
      Fail<Int, TestError>(error: .first).tryCatch { _ throws -> IntStream in source }
        .mapError { ($0 as? TestError) ?? .third }
    },
    DepthCase("replaceError") { source, _ in
      source.replaceError(with: 0).setFailureType(to: TestError.self)
    },
    DepthCase("replaceEmpty") { source, _ in source.replaceEmpty(with: 0) },
    DepthCase("retry") { source, _ in source.retry(1) },
    DepthCase("retry: policy") { source, scheduler in
      source.retry(backoff: Publishers.Backoff(maxRetries: 1), scheduler: scheduler)
    },
    DepthCase("retryOn") { source, _ in
      source.retryOn(.first, retries: 1, chainedPublisher: Just(0))
    },
    DepthCase("append") { source, _ in source.append(source) },
    DepthCase("append: values") { source, _ in Empty<Int, TestError>().append(0..<manyTimes) },
    DepthCase("prepend") { source, _ in source.prepend(source) },
    DepthCase("concatenated") { _, _ in
      (0..<manyTimes).map { Just($0).setFailureType(to: TestError.self) }.concatenated()
    },
    DepthCase("concatenated: empty ones") { _, _ in
      (0..<manyTimes).map { _ in Empty<Int, TestError>() }.concatenated()
    },
  ]
}

/// Where what is printed is lost.
private struct NoOutput: TextOutputStream, Sendable {
  func write(_ string: String) {}
}
