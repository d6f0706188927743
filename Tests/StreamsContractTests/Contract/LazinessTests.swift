import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-8: nothing runs before a subscription", .leakFree)
struct LazinessTests {
  @Test("C-8, P24: closures run for each subscription and never before one", arguments: Stage.all)
  func stages(stage: Stage) {
    let calls = Tally()
    let stream = stage(
      Just(1).setFailureType(to: TestError.self).append(.first), touch: { calls.add() })
    #expect(calls.count == 0)
    let first = TestSubscriber<Int, TestError>()
    stream.subscribe(first)
    let each = calls.count
    #expect((each > 0) == (stage.trigger != .nothing))
    let second = TestSubscriber<Int, TestError>()
    stream.subscribe(second)
    #expect(calls.count == 2 * each)
    #expect(first.kinds == ["subscription", "1", "failure first"])
    #expect(second.kinds == first.kinds)
  }

  @Test("C-8: Deferred makes a publisher for each subscription and never before one")
  func deferred() {
    let calls = Tally()
    let deferred = Deferred {
      Just(calls.add())
    }
    #expect(calls.count == 0)
    let values = Recording<Int>()
    for _ in 1...3 { _ = deferred.sink { values.add($0) } }
    #expect(values.elements == [1, 2, 3])
  }

  @Test("C-8: Single starts its work for each subscription and never before one")
  func single() {
    let calls = Tally()
    let single = Single<Int, Never> { resolve in
      resolve(.success(calls.add()))
      return AnyCancellable {}
    }
    #expect(calls.count == 0)
    let values = Recording<Int>()
    for _ in 1...3 { _ = single.sink { values.add($0) } }
    #expect(values.elements == [1, 2, 3])
  }

  @Test("P24: an operator on an endless sequence runs only as far as its demand")
  func endless() {
    let calls = Tally()
    let stream = (1...).publisher.filter { value in
      calls.add()
      return value.isMultiple(of: 2)
    }
    #expect(calls.count == 0)
    let subscriber = TestSubscriber<Int, Never>(demand: .max(2))
    stream.subscribe(subscriber)
    #expect(subscriber.values == [2, 4])
    #expect(calls.count == 4)
    subscriber.cancel()
  }

  @Test("P24: an operator on Just, Optional, Result or Sequence does not run when it is built")
  func eagerOverloads() {
    let calls = Tally()
    let count: @Sendable (Int) -> Int = { value in
      calls.add()
      return value
    }
    let streams = [
      Just(1).map(count).eraseToAnyPublisher(),
      Optional(1).publisher.map(count).eraseToAnyPublisher(),
      Result<Int, Never>.success(1).publisher.map(count).eraseToAnyPublisher(),
      [1].publisher.map(count).eraseToAnyPublisher(),
      Just(1).filter { count($0) > 0 }.eraseToAnyPublisher(),
      [1].publisher.compactMap(count).eraseToAnyPublisher(),
      Just(1).flatMap { Just(count($0)) }.eraseToAnyPublisher(),
    ]
    #expect(calls.count == 0)
    for stream in streams { _ = stream.sink { _ in } }
    #expect(calls.count == streams.count)
  }
}
