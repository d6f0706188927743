import Streams
import StreamsTesting
import Testing

@Suite("first, last", .leakFree)
struct FirstTests {
  @Test("first brings the first value and finishes without waiting for the upstream")
  func first() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.first().subscribe(subscriber)
    #expect(source.send(1) == .none)
    #expect(subscriber.kinds == ["subscription", "1", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("first of a stream without values ends as that does")
  func firstOfNone() {
    #expect(finishing().first().played() == ["finished"])
    #expect(failing().first().played() == ["failure first"])
    #expect(failing(1, 2).first().played() == ["1", "finished"])
  }

  @Test("C-3: first asks for what it was asked")
  func firstDemand() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    source.first().subscribe(subscriber)
    #expect(source.requests == [])
    subscriber.request(.max(1))
    #expect(source.requests == [.max(1)])
  }

  @Test("first(where:) drops until its predicate holds, and asks for another value each time")
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

  @Test("tryFirst brings the first value for which its closure says so")
  func tryFirst() {
    let played = finishing(1, 2, 3).tryFirst { (value: Int) throws -> Bool in value > 1 }.played()
    #expect(played == ["2", "finished"])
  }

  @Test("C-4: a cancel inside the first value leaves the end out")
  func cancelInside() {
    let subscriber = TestSubscriber<Int, TestError> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    finishing(1, 2).first().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1"])
  }

  @Test("last brings the last value with the end")
  func last() {
    #expect(finishing(1, 2, 3).last().played() == ["3", "finished"])
    #expect(finishing().last().played() == ["finished"])
    #expect(failing(1, 2).last().played() == ["failure first"])
  }

  @Test("last(where:) brings the last value for which its predicate holds")
  func lastWhere() {
    #expect(finishing(1, 2, 3).last { $0 < 3 }.played() == ["2", "finished"])
    #expect(finishing(1).last { $0 > 3 }.played() == ["finished"])
    let tried = finishing(1, 2, 3).tryLast { (value: Int) throws -> Bool in value < 3 }
    #expect(tried.played() == ["2", "finished"])
  }

  @Test("C-3: the last value waits for demand, the end alone does not")
  func lastDemand() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .none)
    finishing(1, 2).last().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "2", "finished"])
    #expect(finishing().last().played(asking: .none) == ["finished"])
  }
}
