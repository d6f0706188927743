import Streams
import StreamsFixtures
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
    self.make = { make($0, $1).withoutValues }
  }

  /// An operator as a row of the table sets it up, or in further ways that could be deep.
  static let all: [DepthCase] =
    inTable + mapping + choosing + folding + watching + going + combining + following + sharing
    + timing
}

extension DepthCase {
  private static let inTable: [DepthCase] =
    ConformanceEntry.all.flatMap { cases(of: $0) }
    + TryForm<TestError>.all.map { DepthCase(form: $0) }

  /// The set-ups that a row carries.
  private static func cases(of entry: ConformanceEntry) -> [DepthCase] {
    var cases: [DepthCase] = []
    if let stage = entry.stage {
      cases.append(DepthCase(entry) { source, _ in stage(source).withoutValues })
    }
    if let stage = entry.timedStage {
      cases.append(
        DepthCase(entry) { source, scheduler in stage.attach(source, scheduler).withoutValues })
    }
    if let form = entry.foldForm {
      cases.append(DepthCase(entry) { source, _ in form.attach(source, {}).withoutValues })
    }
    return cases
  }

  private init(_ entry: ConformanceEntry, make: @escaping Make) {
    testDescription = entry.testDescription
    operators = [entry.name]
    self.make = make
  }

  private init(form: TryForm<TestError>) {
    testDescription = form.name
    operators = [form.name]
    make = { source, _ in form.typed(source) { _ in }.withoutValues }
  }
}

extension Publisher where Failure == TestError {
  /// Only how many there are.
  fileprivate var withoutValues: AnyPublisher<Void, TestError> {
    map { _ in }.eraseToAnyPublisher()
  }
}

extension DepthCase {
  private static let mapping: [DepthCase] = [
    DepthCase("setFailureType", "assertNoFailure") { source, _ in
      source.assertNoFailure().setFailureType(to: TestError.self)
    },
    DepthCase("encode", "decode") { source, _ in
      let coder = LineCoder(touch: {})
      return source.encode(encoder: coder).decode(type: Int.self, decoder: coder)
        .mapError { ($0 as? TestError) ?? .third }
    },
    DepthCase("enumerated") { source, _ in source.enumerated().map(\.element) },
    DepthCase("materialize", "dematerialize") { source, _ in source.materialize().dematerialize() },
  ]

  private static let choosing: [DepthCase] = [
    DepthCase("filter: all dropped") { source, _ in source.filter { $0 < 0 } },
    DepthCase("removeDuplicates") { source, _ in source.removeDuplicates() },
    DepthCase("removeDuplicates: all dropped") { source, _ in
      source.removeDuplicates { _, _ in true }
    },
    DepthCase("prefix: until") { source, _ in
      source.prefix(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))
    },
    DepthCase("dropFirst") { source, _ in source.dropFirst(.max) },
    DepthCase("drop: while") { source, _ in source.drop { $0 >= 0 } },
    DepthCase("tryDrop") { source, _ in
      source.tryDrop { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("first") { source, _ in source.first { $0 < 0 } },
    DepthCase("tryFirst") { source, _ in
      source.tryFirst { (value: Int) throws(TestError) -> Bool in value < 0 }
    },
  ]

  private static let folding: [DepthCase] = [
    DepthCase("collect: count") { source, _ in source.collect(3) },
    DepthCase("tryContains") { source, _ in
      source.tryContains { (value: Int) throws(TestError) -> Bool in value < 0 }
    },
    DepthCase("tryAllSatisfy") { source, _ in
      source.tryAllSatisfy { (value: Int) throws(TestError) -> Bool in value >= 0 }
    },
    DepthCase("min") { source, _ in source.min() },
    DepthCase("max") { source, _ in source.max() },
  ]

  private static let watching: [DepthCase] = [
    DepthCase("context") { source, _ in source.context(DepthKey.self, 1) },
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
