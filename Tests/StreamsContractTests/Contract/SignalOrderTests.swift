import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("C-2, C-3: order of signals and demand", .leakFree)
struct SignalOrderTests {
  typealias Subscriber = TestSubscriber<Int, TestError>

  static let three = [1, 2, 3].publisher.setFailureType(to: TestError.self)

  @Test("C-2: a subscription comes first, then the values, then one end", arguments: Stage.all)
  func order(stage: Stage) {
    let subscriber = Subscriber()
    stage(Self.three).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "3", "finished"])
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-2: a publisher that fails at once delivers a subscription first", arguments: Stage.all)
  func failure(stage: Stage) {
    let subscriber = Subscriber(demand: .none)
    stage(Fail(outputType: Int.self, failure: .first)).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "failure first"])
  }

  @Test("C-3: an end needs no demand", arguments: Stage.all)
  func endWithoutDemand(stage: Stage) {
    let subscriber = Subscriber(demand: .none)
    stage(Empty()).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "finished"])
  }

  @Test("C-2: a failure comes after the values and is the last signal", arguments: Stage.all)
  func failureAfterValues(stage: Stage) {
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber()
    stage(source).subscribe(subscriber)
    source.send(1)
    source.send(2)
    source.send(completion: .failure(.second))
    source.send(3)
    source.send(completion: .finished)
    #expect(subscriber.kinds == ["subscription", "1", "2", "failure second"])
  }

  @Test(
    "C-3: requests of 1, 1 and 2 give one, two and four values",
    arguments: Stage.all.filter { $0.name != "share" })
  func requests(stage: Stage) {
    let subscriber = Subscriber(demand: .none)
    stage((1...10).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    #expect(subscriber.values == [1])
    subscriber.request(.none)
    #expect(subscriber.values == [1])
    subscriber.request(.max(1))
    #expect(subscriber.values == [1, 2])
    subscriber.request(.max(2))
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(subscriber.completion == nil)
    subscriber.request(.unlimited)
    #expect(subscriber.values == Array(1...10))
    #expect(subscriber.isFinished)
  }

  @Test(
    "C-3: the result of receive(_:) adds to the demand",
    arguments: Stage.all.filter { $0.name != "share" })
  func returnedDemand(stage: Stage) {
    let subscriber = Subscriber(demand: .max(1)) { _, value in value <= 2 ? .max(2) : .none }
    stage((1...10).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3, 4, 5])
    #expect(subscriber.completion == nil)
  }

  @Test(
    "C-3: a request from inside receive(_:) adds to the demand",
    arguments: Stage.all.filter { $0.name != "share" })
  func requestInside(stage: Stage) {
    let subscriber = Subscriber(demand: .max(1)) { subscriber, value in
      if value < 4 { subscriber.request(.max(1)) }
      return .none
    }
    stage((1...10).publisher.setFailureType(to: TestError.self)).subscribe(subscriber)
    #expect(subscriber.values == [1, 2, 3, 4])
    #expect(subscriber.overlaps == 0)
  }

  @Test("C-3: share delivers no values to a subscriber without demand")
  func shareWithoutDemand() {
    let source = PassthroughSubject<Int, TestError>()
    let subscriber = Subscriber(demand: .max(1))
    source.share().subscribe(subscriber)
    source.send(1)
    source.send(2)
    subscriber.request(.max(1))
    source.send(3)
    source.send(4)
    #expect(subscriber.values == [1, 3])
  }

  @Test("C-3: demand reaches the source unchanged", arguments: Stage.all.filter(\.waitsForDemand))
  func demandPassesThrough(stage: Stage) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(2))
    stage(source).subscribe(subscriber)
    subscriber.request(.max(3))
    subscriber.request(.unlimited)
    #expect(source.requests.filter { $0 > .none } == [.max(2), .max(3), .unlimited])
  }

  @Test("C-3: requests after the end do nothing upstream", arguments: Stage.all)
  func requestAfterEnd(stage: Stage) {
    let source = TestPublisher<Int, TestError>()
    let subscriber = Subscriber(demand: .max(1))
    stage(source).subscribe(subscriber)
    source.send(completion: .finished)
    let kinds = subscriber.kinds
    if stage.hasOwnSubscription {
      let before = source.requests
      subscriber.request(.max(5))
      #expect(source.requests == before)
    }
    subscriber.cancel()
    #expect(subscriber.kinds == kinds)
  }
}
