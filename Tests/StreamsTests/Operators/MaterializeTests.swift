import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("materialize, dematerialize", .leakFree)
struct MaterializeTests {
  typealias Event = Signal<Int, TestError>

  @Test("materialize delivers values and the end as values, then finishes")
  func materialize() {
    let subscriber = TestSubscriber<Event, Never>()
    failing(1, 2).materialize().subscribe(subscriber)
    #expect(subscriber.values == [.value(1), .value(2), .completion(.failure(.first))])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: the materialized end waits for demand")
  func demand() {
    let subscriber = TestSubscriber<Event, Never>(demand: .max(1))
    finishing(1).materialize().subscribe(subscriber)
    #expect(subscriber.values == [.value(1)])
    #expect(subscriber.completion == nil)
    subscriber.request(.max(1))
    #expect(subscriber.values == [.value(1), .completion(.finished)])
    #expect(subscriber.isFinished)
  }

  @Test("C-3: demand left over from the values serves the materialized end", arguments: [2, 3])
  func demandLeft(count: Int) {
    let subscriber = TestSubscriber<Event, Never>(demand: .max(count))
    finishing(1).materialize().subscribe(subscriber)
    #expect(subscriber.values.count == 2)
    #expect(subscriber.isFinished)
  }

  @Test("C-4: a cancel inside the last materialized value suppresses the end")
  func cancelInside() {
    let subscriber = TestSubscriber<Event, Never> { subscriber, event in
      if case .completion = event { subscriber.cancel() }
      return .none
    }
    finishing(1).materialize().subscribe(subscriber)
    #expect(subscriber.values.count == 2)
    #expect(subscriber.completion == nil)
  }

  @Test("dematerialize reverses materialize, with the failure and its type")
  func roundTrip() {
    #expect(failing(1, 2).materialize().dematerialize().played() == ["1", "2", "failure first"])
    #expect(finishing(1, 2).materialize().dematerialize().played() == ["1", "2", "finished"])
    let typed: AnyPublisher<Int, TestError> = failing(1).materialize().dematerialize()
      .eraseToAnyPublisher()
    #expect(typed.played() == ["1", "failure first"])
  }

  @Test("dematerialize ends with the first completion and cancels the upstream")
  func endsEarly() {
    let source = TestPublisher<Event, Never>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.dematerialize().subscribe(subscriber)
    source.send(.value(1))
    source.send(.completion(.failure(.second)))
    #expect(subscriber.kinds == ["subscription", "1", "failure second"])
    #expect(source.cancelCount == 1)
    let finished = TestSubscriber<Int, TestError>()
    source.dematerialize().subscribe(finished)
    source.send(.completion(.finished))
    #expect(finished.kinds == ["subscription", "finished"])
    #expect(source.cancelCount == 2)
  }

  @Test("dematerialize of a stream without a completion value finishes with it")
  func withoutCompletion() {
    #expect([Event.value(1)].publisher.dematerialize().played() == ["1", "finished"])
  }
}
