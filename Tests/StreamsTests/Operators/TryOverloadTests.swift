import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// The compilation is the test: each call has one meaning.
@Suite("Calls of the try operators are not ambiguous", .leakFree)
struct TryOverloadTests {
  private let sure = [1, 2, 3].publisher
  private let failing = Fail(outputType: Int.self, failure: TestError.first)

  private static func double(_ value: Int) -> Int { value * 2 }
  private static func thrower(_ value: Int) throws -> Int { value }
  private static func typed(_ value: Int) throws(TestError) -> Int { throw .second }

  private func values<Stream: Publisher<Int, Never>>(_ stream: Stream) -> [Int] {
    let subscriber = TestSubscriber<Int, Never>()
    stream.subscribe(subscriber)
    return subscriber.values
  }

  @Test("A stream that cannot fail still cannot if the closure does not throw")
  func neverStaysNever() {
    #expect(values(sure.tryMap { $0 }) == [1, 2, 3])
    #expect(values(sure.tryMap(Self.double)) == [2, 4, 6])
    #expect(values(sure.tryReduce(1, *)) == [6])
    #expect(values(sure.tryScan(0, +)) == [1, 3, 6])
    #expect(values(failing.tryCatch { _ in Just(-1) }) == [-1])
    #expect(values(sure.tryFilter { $0 > 1 }) == [2, 3])
    #expect(values(sure.tryCompactMap { $0 > 1 ? $0 : nil }) == [2, 3])
    #expect(values(sure.tryDrop { $0 < 2 }) == [2, 3])
    #expect(values(sure.tryPrefix { $0 < 2 }) == [1])
    #expect(values(sure.tryFirst { $0 > 1 }) == [2])
    #expect(values(sure.tryLast { $0 > 1 }) == [3])
    #expect(values(sure.tryMax(by: <)) == [3])
    #expect(values(sure.tryMin(by: <)) == [1])
    #expect(values(sure.tryRemoveDuplicates(by: ==)) == [1, 2, 3])
    #expect(values(sure.tryContains { $0 > 2 }.map { $0 ? 1 : 0 }) == [1])
    #expect(values(sure.tryAllSatisfy { $0 > 2 }.map { $0 ? 1 : 0 }) == [0])
  }

  @Test("The failure type depends on whether the closure throws none, the same or another one")
  func failureTypes() {
    let same: [AnyPublisher<Int, TestError>] = [
      failing.tryMap { $0 }.eraseToAnyPublisher(),
      failing.tryReduce(1, *).eraseToAnyPublisher(),
      failing.tryMap(Self.typed).eraseToAnyPublisher(),
      sure.tryMap(Self.typed).eraseToAnyPublisher(),
      failing.tryCatch { error throws(TestError) -> Just<Int> in throw error }
        .eraseToAnyPublisher(),
    ]
    for stream in same {
      let subscriber = TestSubscriber<Int, TestError>()
      stream.subscribe(subscriber)
      #expect(subscriber.failure != nil)
    }
    let any: [AnyPublisher<Int, any Error>] = [
      sure.tryMap(Self.thrower).eraseToAnyPublisher(),
      sure.tryMap { value in try Self.thrower(value) }.eraseToAnyPublisher(),
      sure.tryReduce(0) { try Self.thrower($0 + $1) }.eraseToAnyPublisher(),
      sure.setFailureType(to: (any Error).self).tryMap(Self.thrower).eraseToAnyPublisher(),
    ]
    for stream in any {
      let subscriber = TestSubscriber<Int, any Error>()
      stream.subscribe(subscriber)
      #expect(subscriber.isFinished)
    }
  }
}
