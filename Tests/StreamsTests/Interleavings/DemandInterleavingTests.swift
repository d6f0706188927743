import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Two lossless sources, requests and the end, in seeded orders", .leakFree)
struct DemandInterleavingTests {
  typealias Source = ReplaySubject<Int, TestError>

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let build: @Sendable (Source, Source) -> AnyPublisher<String, TestError>
    /// Whether this is all there is to come, in a right order.
    let isWhole: @Sendable ([String]) -> Bool
  }

  static let first = [1, 2, 3]
  static let second = [10, 20, 30, 40]

  static let cases = [
    Case(
      testDescription: "merge",
      build: { $0.merge(with: $1).map { "\($0)" }.eraseToAnyPublisher() },
      isWhole: isMerge),
    Case(
      testDescription: "flatMap",
      build: { first, second in
        [first, second].publisher.setFailureType(to: TestError.self).flatMap { $0 }
          .map { "\($0)" }.eraseToAnyPublisher()
      }, isWhole: isMerge),
    Case(
      testDescription: "flatMap(maxPublishers: .max(1))",
      build: { first, second in
        [first, second].publisher.setFailureType(to: TestError.self)
          .flatMap(maxPublishers: .max(1)) { $0 }.map { "\($0)" }.eraseToAnyPublisher()
      }, isWhole: { $0 == (first + second).map { "\($0)" } }),
    Case(
      testDescription: "append",
      build: { $0.append($1).map { "\($0)" }.eraseToAnyPublisher() },
      isWhole: { $0 == (first + second).map { "\($0)" } }),
    Case(
      testDescription: "zip", build: { $0.zip($1) { "\($0),\($1)" }.eraseToAnyPublisher() },
      isWhole: { $0 == zip(first, second).map { "\($0),\($1)" } }),
    Case(
      testDescription: "merge of two buffers",
      build: { first, second in
        first.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).merge(
          with: second.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)
        ).map { "\($0)" }.eraseToAnyPublisher()
      }, isWhole: isMerge),
    Case(
      testDescription: "receive(on: .immediate), catch, retry, append",
      build: { first, second in
        first.receive(on: .immediate).catch { _ in Empty<Int, TestError>() }.retry(2)
          .append(second).map { "\($0)" }.eraseToAnyPublisher()
      },
      isWhole: { $0 == (first + second).map { "\($0)" } }),
  ]

  private static let isMerge: @Sendable ([String]) -> Bool = { lines in
    let values = lines.compactMap { Int($0) }
    return values.count == lines.count && values.filter { $0 < 10 } == first
      && values.filter { $0 >= 10 } == second
  }

  @Test("C-1, C-2, C-3: values stay within the demand and all arrive in order", arguments: cases)
  func demand(of operator: Case) throws {
    let interleavings = Interleaving.drawn(4, 5, 4, seeds: 0..<500)
    try Interleaving.explore(interleavings) { interleaving in
      let (first, second) = (Source(bufferSize: 10), Source(bufferSize: 10))
      let subscriber = TestSubscriber<String, TestError>(demand: .none)
      var asked = 0
      `operator`.build(first, second).subscribe(subscriber)
      let requests = [1, 2, 1, 1].map { count in
        {
          asked += count
          subscriber.request(.max(count))
        }
      }
      let steps = interleaving.merged(
        Self.first.map { value in { first.send(value) } } + [{ first.send(completion: .finished) }],
        Self.second.map { value in { second.send(value) } }
          + [{ second.send(completion: .finished) }],
        requests)
      for step in steps {
        step()
        try #require(subscriber.values.count <= asked)
      }
      let before = subscriber.values.count
      try #require(before == min(asked, Self.whole(`operator`)))
      subscriber.request(.unlimited)
      try #require(`operator`.isWhole(subscriber.values))
      try #require(subscriber.isFinished)
      try #require(subscriber.completions.count == 1)
      try #require(subscriber.overlaps == 0)
    }
  }

  private static func whole(_ operator: Case) -> Int {
    `operator`.testDescription == "zip" ? 3 : 7
  }
}
