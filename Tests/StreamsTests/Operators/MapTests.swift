import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("map, tryMap, mapError, setFailureType, filter, compactMap, decode, encode", .leakFree)
struct MapTests {
  @Test("map transforms each value")
  func map() {
    let subscriber = TestSubscriber<String, Never>()
    [1, 2].publisher.map { "<\($0)>" }.subscribe(subscriber)
    #expect(subscriber.values == ["<1>", "<2>"])
  }

  @Test("map takes a property by its key path")
  func keyPath() {
    let subscriber = TestSubscriber<Int, Never>()
    ["a", "bcd"].publisher.map(\.count).subscribe(subscriber)
    #expect(subscriber.values == [1, 3])
    #expect(subscriber.isFinished)
  }

  @Test("enumerated numbers values from zero, for each subscription, under any demand")
  func enumerated() {
    let source = TestPublisher<String, TestError>()
    let numbered = source.enumerated()
    let subscriber = TestSubscriber<(offset: Int, element: String), TestError>(demand: .max(1))
    numbered.subscribe(subscriber)
    #expect(source.requests == [.max(1)])
    source.send("a")
    subscriber.request(.max(1))
    source.send("b")
    #expect(subscriber.values.map(\.offset) == [0, 1])
    #expect(subscriber.values.map(\.element) == ["a", "b"])
    let next = TestSubscriber<(offset: Int, element: String), TestError>()
    numbered.subscribe(next)
    source.send("c")
    #expect(next.values.first?.offset == 0)
    source.send(completion: .failure(.second))
    #expect(next.failure == .second)
  }

  @Test("tryMap ends the stream with the closure's error and cancels the upstream")
  func tryMap() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, any Error>()
    source.tryMap { value throws in
      if value == 2 { throw OpaqueError(code: value) }
      return value * 10
    }.subscribe(subscriber)
    source.send(1)
    #expect(source.send(2) == .none)
    #expect(subscriber.values == [10])
    #expect((subscriber.failure as? OpaqueError)?.code == 2)
    #expect(source.cancelCount == 1)
  }

  @Test("tryMap passes the upstream's failure on as any error")
  func tryMapFailure() {
    let subscriber = TestSubscriber<Int, any Error>()
    Fail(outputType: Int.self, failure: TestError.second).tryMap { value throws in value }
      .subscribe(subscriber)
    #expect(subscriber.failure as? TestError == .second)
  }

  @Test("tryMap keeps the failure type if the closure throws the same type")
  func tryMapTyped() {
    let subscriber = TestSubscriber<Int, TestError>()
    [1, 2, 3].publisher.setFailureType(to: TestError.self)
      .tryMap { (value: Int) throws(TestError) -> Int in
        if value == 2 { throw .third }
        return value
      }.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "failure third"])
  }

  @Test("tryMap of a stream that cannot fail has the error type of its closure")
  func tryMapFromNever() {
    let subscriber = TestSubscriber<Int, TestError>()
    Just(1).tryMap { (_: Int) throws(TestError) -> Int in throw .second }.subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure second"])
    let passing = TestSubscriber<Int, TestError>()
    Just(1).tryMap { (value: Int) throws(TestError) -> Int in value + 1 }.subscribe(passing)
    #expect(passing.kinds == ["subscription", "2", "finished"])
  }

  @Test("C-15: after tryMap has failed, the upstream's signals are dropped")
  func tryMapDeaf() {
    let source = TestPublisher<Int, TestError>()
    let handed = Box<AnySubscriber<Int, TestError>>()
    let subscriber = TestSubscriber<Int, TestError>()
    Handing {
      handed.set($0)
      $0.receive(subscription: Subscriptions.empty)
    }.tryMap { (_: Int) throws(TestError) -> Int in throw .first }.subscribe(subscriber)
    _ = handed.value?.receive(1)
    _ = handed.value?.receive(2)
    handed.value?.receive(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "failure first"])
    withExtendedLifetime(source) {}
  }

  @Test("mapError replaces the failure and leaves an end unchanged")
  func mapError() {
    let failing = TestSubscriber<Int, OpaqueError>()
    Fail(outputType: Int.self, failure: TestError.first).mapError { _ in OpaqueError(code: 5) }
      .subscribe(failing)
    #expect(failing.failure?.code == 5)
    let calls = Tally()
    let finishing = TestSubscriber<Int, OpaqueError>()
    Just(1).setFailureType(to: TestError.self).mapError { _ in OpaqueError(code: calls.add()) }
      .subscribe(finishing)
    #expect(finishing.kinds == ["subscription", "1", "finished"])
    #expect(calls.count == 0)
  }

  @Test("setFailureType changes only the type")
  func setFailureType() {
    let subscriber = TestSubscriber<Int, OpaqueError>(demand: .max(1)) { _, _ in .max(1) }
    [1, 2].publisher.setFailureType(to: OpaqueError.self).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
  }

  @Test("filter passes values that match its predicate and requests another for each it drops")
  func filter() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(2))
    source.filter { $0.isMultiple(of: 2) }.subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(subscriber.values == [2])
    let pulled = TestSubscriber<Int, Never>(demand: .max(3))
    (1...100).publisher.filter { $0.isMultiple(of: 10) }.subscribe(pulled)
    #expect(pulled.values == [10, 20, 30])
    #expect(pulled.completion == nil)
  }

  @Test("compactMap drops values that become nil and requests another for each")
  func compactMap() {
    let source = TestPublisher<String, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(2))
    source.compactMap { Int($0) }.subscribe(subscriber)
    #expect(source.send("x") == .max(1))
    #expect(source.send("7") == .none)
    #expect(subscriber.values == [7])
  }

  @Test("decode and encode use a coder and fail with its errors")
  func coders() {
    let decoded = TestSubscriber<Int, any Error>()
    ["1", "x", "2"].publisher.decode(type: Int.self, decoder: LineCoder()).subscribe(decoded)
    #expect(decoded.values == [1])
    #expect(decoded.failure as? TestError == .second)
    let encoded = TestSubscriber<String, any Error>()
    [1, -1, 2].publisher.encode(encoder: LineCoder()).subscribe(encoded)
    #expect(encoded.values == ["1"])
    #expect(encoded.failure as? TestError == .third)
  }

  @Test("decode and encode pass the upstream's failure on")
  func coderFailures() {
    let decoded = TestSubscriber<Int, any Error>()
    Fail(outputType: String.self, failure: TestError.first)
      .decode(type: Int.self, decoder: LineCoder()).subscribe(decoded)
    #expect(decoded.failure as? TestError == .first)
    let encoded = TestSubscriber<String, any Error>()
    Fail(outputType: Int.self, failure: TestError.first).encode(encoder: LineCoder())
      .subscribe(encoded)
    #expect(encoded.failure as? TestError == .first)
  }
}
