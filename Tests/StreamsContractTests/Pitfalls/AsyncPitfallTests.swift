import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Pitfalls of awaiting", .leakFree)
struct AsyncPitfallTests {
  @Test("P-21: a value sent between two calls of next() is not lost")
  func betweenCalls() async throws {
    let subject = PassthroughSubject<Int, Never>()
    var iterator = subject.values.makeAsyncIterator()
    for round in 0..<100 {
      subject.send(3 * round)
      subject.send(3 * round + 1)
      subject.send(3 * round + 2)
      for value in 0..<3 { #expect(await iterator.next() == 3 * round + value) }
    }
    subject.send(-1)
    subject.send(completion: .finished)
    #expect(await iterator.next() == -1)
    #expect(await iterator.next() == nil)
  }

  @Test("P-21: a source that ignores demand delivers its values without a trap")
  func deafSource() async throws {
    let source = TestPublisher<Int, TestError> { source in
      for value in 0..<1_000 { source.send(value) }
      source.send(completion: .finished)
    }
    var values: [Int] = []
    for try await value in source.values(buffering: .prefetch(1)) { values.append(value) }
    #expect(values == Array(0..<1_000))
  }

  @Test("P-23: a Single starts with its subscriber, anew for each, and a cancel stops it")
  func lazySingle() {
    let starts = Tally()
    let stops = Tally()
    let single = Single<Int, TestError> { resolve in
      if starts.add() < 3 { resolve(.failure(.first)) }
      return AnyCancellable { stops.add() }
    }
    #expect(starts.count == 0)
    let subscriber = TestSubscriber<Int, TestError>()
    single.retry(5).subscribe(subscriber)
    #expect(starts.count == 3)
    #expect(subscriber.completions.isEmpty)
    subscriber.cancel()
    #expect(stops.count == 3)
  }

  @Test("P-23: a Future starts at once, and a retry receives the same failure")
  func eagerFuture() {
    let starts = Tally()
    let future = Future<Int, TestError> { promise in
      starts.add()
      promise(.failure(.second))
    }
    #expect(starts.count == 1)
    #expect(future.retry(3).played() == ["failure second"])
    #expect(starts.count == 1)
  }
}
