import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("first, last", .leakFree)
struct FirstTests {
  @Test("first delivers the first value and finishes without waiting for the upstream")
  func first() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.first().subscribe(subscriber)
    #expect(source.send(1) == .none)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("first of a stream without values ends as the stream does")
  func firstOfNone() {
    #expect(finishing().first().played() == ["finished"])
    #expect(failing().first().played() == ["failure first"])
    #expect(failing(1, 2).first().played() == ["1", "finished"])
  }

  @Test("C-3: first requests as much as its downstream")
  func firstDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    source.first().subscribe(subscriber)
    #expect(source.requests == [])
    subscriber.request(.max(1))
    #expect(source.requests == [.max(1)])
  }

  @Test("first(where:) drops values until its predicate matches, and requests another for each")
  func firstWhere() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1))
    source.first { $0 > 1 }.subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    source.send(2)
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
    #expect(source.cancelCount == 1)
    #expect(finishing(1).first { $0 > 1 }.played() == ["finished"])
    #expect(failing(1).first { $0 > 1 }.played() == ["failure first"])
  }

  @Test("tryFirst delivers the first value for which its closure returns true")
  func tryFirst() {
    let played = finishing(1, 2, 3).tryFirst { (value: Int) throws -> Bool in value > 1 }.played()
    #expect(played == ["2", "finished"])
  }

  @Test("C-4: a cancel inside the first value suppresses the end")
  func cancelInside() {
    let subscriber = TestSubscriber<Int, TestError> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    finishing(1, 2).first().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1"])
  }

  @Test("last delivers the last value at the end")
  func last() {
    #expect(finishing(1, 2, 3).last().played() == ["3", "finished"])
    #expect(finishing().last().played() == ["finished"])
    #expect(failing(1, 2).last().played() == ["failure first"])
  }

  @Test("last(where:) delivers the last value that matches its predicate")
  func lastWhere() {
    #expect(finishing(1, 2, 3).last { $0 < 3 }.played() == ["2", "finished"])
    #expect(finishing(1).last { $0 > 3 }.played() == ["finished"])
    let tried = finishing(1, 2, 3).tryLast { (value: Int) throws -> Bool in value < 3 }
    #expect(tried.played() == ["2", "finished"])
  }

  @Test("C-3: the last value waits for demand, and the end alone does not")
  func lastDemand() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    finishing(1, 2).last().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
    #expect(finishing().last().played(asking: .none) == ["finished"])
  }
}
