import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("collect(), collect(n), count, ignoreOutput", .leakFree)
struct CollectTests {
  @Test("collect() delivers all values as one array at the end")
  func collect() {
    #expect(finishing(1, 2, 3).collect().played() == ["[1, 2, 3]", "finished"])
    #expect(finishing().collect().played() == ["[]", "finished"])
  }

  @Test("collect() discards its values if the upstream fails")
  func collectFailure() {
    #expect(failing(1, 2).collect().played() == ["failure first"])
  }

  @Test("C-3: the array waits for demand, and the upstream does not")
  func collectDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<[Int], TestError>(demand: .none)
    source.collect().subscribe(subscriber)
    #expect(source.requests == [.unlimited])
    source.send(1)
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "[1]", "finished"])
  }

  @Test("collect(n) delivers arrays of n values, and the rest at the end")
  func collectByCount() {
    #expect(
      finishing(1, 2, 3, 4, 5).collect(2).played() == ["[1, 2]", "[3, 4]", "[5]", "finished"])
    #expect(finishing(1, 2, 3, 4).collect(2).played() == ["[1, 2]", "[3, 4]", "finished"])
    #expect(finishing().collect(2).played() == ["finished"])
    #expect(finishing(1, 2).collect(.max).played() == ["[1, 2]", "finished"])
  }

  @Test("collect(n) discards the rest if the upstream fails")
  func collectByCountFailure() {
    #expect(failing(1, 2, 3).collect(2).played() == ["[1, 2]", "failure first"])
  }

  @Test("collect(n) treats a size below one as one", arguments: [1, 0, -3])
  func collectByTooLittle(count: Int) {
    #expect(finishing(1, 2).collect(count).played() == ["[1]", "[2]", "finished"])
  }

  @Test("C-3: collect(n) requests n values for each array")
  func collectByCountDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<[Int], TestError>(demand: .max(1)) { _, values in
      values == [1, 2, 3] ? .max(2) : .none
    }
    source.collect(3).subscribe(subscriber)
    #expect(source.requests == [.max(3)])
    #expect(source.send(1) == .none)
    #expect(source.send(2) == .none)
    #expect(source.send(3) == .max(6))
    subscriber.request(.unlimited)
    #expect(source.requests == [.max(3), .unlimited])
  }

  @Test("C-3: the rest waits for demand after a source that exceeded its demand")
  func collectTail() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<[Int], TestError>(demand: .max(1))
    source.collect(2).subscribe(subscriber)
    for value in [1, 2, 3] { source.send(value) }
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "[1, 2]"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "[1, 2]", "[3]", "finished"])
  }

  private func passed<Value: Sendable>(_ step: Publishers.StageStep<Value>) -> Value? {
    if case .pass(let value) = step { value } else { nil }
  }

  @Test("C-7: collect(n) keeps no delivered values, and none after a failure")
  func keepsNothing() throws {
    var tail = Publishers.CollectTail<Int, TestError>(ratio: 2)
    #expect(try passed(tail.receive(1)) == nil)
    guard case .value([1]) = tail.end(.finished) else {
      Issue.record("The rest did not come.")
      return
    }
    #expect(try passed(tail.receive(2)) == nil)
    guard case .end = tail.end(.failure(.first)) else {
      Issue.record("The rest came in the place of the failure.")
      return
    }
    #expect(try passed(tail.receive(3)) == nil)
    #expect(try passed(tail.receive(4)) == [3, 4])
  }

  @Test("C-4: a cancel suppresses the rest")
  func collectCancel() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<[Int], TestError>()
    source.collect(2).subscribe(subscriber)
    source.send(1)
    subscriber.cancel()
    #expect(source.cancelCount == 1)
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription"])
  }

  @Test("count delivers the number of values at the end")
  func count() {
    #expect(finishing(7, 8, 9).count().played() == ["3", "finished"])
    #expect(finishing().count().played() == ["0", "finished"])
    #expect(failing(1).count().played() == ["failure first"])
    #expect(finishing(1).count().played(asking: .none) == [])
  }

  @Test("ignoreOutput delivers no values, and its type says so")
  func ignoreOutputType() {
    let stream: AnyPublisher<Never, TestError> = finishing(1, 2).ignoreOutput()
      .eraseToAnyPublisher()
    let subscriber = TestSubscriber<Never, TestError>()
    stream.subscribe(subscriber)
    #expect(subscriber.isFinished)
  }

  @Test("ignoreOutput delivers the end alone, without demand")
  func ignoreOutput() {
    #expect(finishing(1, 2).ignoreOutput().played(asking: .none) == ["finished"])
    #expect(failing(1, 2).ignoreOutput().played(asking: .none) == ["failure first"])
  }
}
