import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("contains, allSatisfy, min, max", .leakFree)
struct ContainsTests {
  @Test("contains delivers true at once and cancels the upstream")
  func contains() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Bool, TestError>()
    source.contains(2).subscribe(subscriber)
    source.send(1)
    #expect(subscriber.kinds == ["subscription"])
    source.send(2)
    #expect(subscriber.kinds == ["subscription", "true", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("contains delivers false at the end, and nothing if the upstream fails")
  func containsNot() {
    #expect(finishing(1, 3).contains(2).played() == ["false", "finished"])
    #expect(finishing().contains(2).played() == ["false", "finished"])
    #expect(failing(1).contains(2).played() == ["failure first"])
  }

  @Test("contains(where:) evaluates a predicate")
  func containsWhere() {
    #expect((0...).publisher.contains { $0 > 3 }.played() == ["true", "finished"])
    #expect(finishing(1, 2).contains { $0 > 3 }.played() == ["false", "finished"])
    let tried = finishing(1, 2).tryContains { (value: Int) throws -> Bool in value == 2 }
    #expect(tried.played() == ["true", "finished"])
  }

  @Test("allSatisfy delivers false at once and cancels the upstream, or true at the end")
  func allSatisfy() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Bool, TestError>()
    source.allSatisfy { $0 < 2 }.subscribe(subscriber)
    source.send(1)
    source.send(2)
    #expect(subscriber.kinds == ["subscription", "false", "finished"])
    #expect(source.cancelCount == 1)
    #expect(finishing(1).allSatisfy { $0 < 2 }.played() == ["true", "finished"])
    #expect(finishing().allSatisfy { $0 < 2 }.played() == ["true", "finished"])
    let tried = finishing(1, 2).tryAllSatisfy { (value: Int) throws -> Bool in value > 0 }
    #expect(tried.played() == ["true", "finished"])
  }

  @Test("C-3: a result waits for demand")
  func answerDemand() {
    let subscriber = TestSubscriber<Bool, TestError>(demand: .none)
    finishing(1, 2).contains(1).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "true", "finished"])
  }

  @Test("min and max deliver one value at the end, or none")
  func minMax() {
    #expect(finishing(2, 1, 3).min().played() == ["1", "finished"])
    #expect(finishing(2, 3, 1).max().played() == ["3", "finished"])
    #expect(finishing().min().played() == ["finished"])
    #expect(finishing().max().played() == ["finished"])
    #expect(failing(1).max().played() == ["failure first"])
  }

  @Test("min and max accept a custom order, and deliver the first of equal values")
  func minMaxBy() {
    #expect(finishing(12, 31, 21).min { $0 % 10 < $1 % 10 }.played() == ["31", "finished"])
    #expect(finishing(12, 32, 21).max { $0 % 10 < $1 % 10 }.played() == ["12", "finished"])
    let smallest = finishing(3, 1, 2).tryMin { (a: Int, b: Int) throws -> Bool in a < b }
    #expect(smallest.played() == ["1", "finished"])
    let largest = finishing(1, 3, 2).tryMax { (a: Int, b: Int) throws -> Bool in a < b }
    #expect(largest.played() == ["3", "finished"])
  }
}
