import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("prefix(while:), drop(while:)", .leakFree)
struct WhileTests {
  @Test("prefix(while:) finishes before the first value that does not match")
  func prefix() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, TestError>()
    source.prefix { $0 < 3 }.subscribe(subscriber)
    for value in [1, 2, 3, 1] { source.send(value) }
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
    #expect(source.cancelCount == 1)
  }

  @Test("prefix(while:) ends as the upstream does if all values match")
  func wholePrefix() {
    #expect(finishing(1, 2).prefix { $0 < 3 }.played() == ["1", "2", "finished"])
    #expect(failing(1, 2).prefix { $0 < 3 }.played() == ["1", "2", "failure first"])
  }

  @Test("tryPrefix finishes when its closure returns false")
  func tryPrefix() {
    let played = finishing(1, 2, 3).tryPrefix { (value: Int) throws -> Bool in value < 2 }.played()
    #expect(played == ["1", "finished"])
  }

  @Test("drop(while:) passes all values from the first that does not match")
  func drop() {
    #expect(finishing(1, 2, 3, 1).drop { $0 < 3 }.played() == ["3", "1", "finished"])
    #expect(finishing(1, 2).drop { $0 < 3 }.played() == ["finished"])
    #expect(failing(1).drop { $0 < 3 }.played() == ["failure first"])
  }

  @Test("drop(while:) requests another value for each it drops, and then no more")
  func dropDemand() {
    let source = TestPublisher<Int, TestError>()
    source.drop { $0 < 3 }.subscribe(TestSubscriber<Int, TestError>(demand: .max(1)))
    #expect(source.send(1) == .max(1))
    #expect(source.send(3) == .none)
  }

  @Test("drop(while:) does not call its predicate again once values pass")
  func dropPredicate() {
    let asked = Recording<Int>()
    let played = finishing(1, 3, 1).drop { value in
      asked.add(value)
      return value < 3
    }.played()
    #expect(played == ["3", "1", "finished"])
    #expect(asked.elements == [1, 3])
  }

  @Test("tryDrop passes all values once its closure returns false")
  func tryDrop() {
    let played = finishing(1, 2, 1).tryDrop { (value: Int) throws -> Bool in value < 2 }.played()
    #expect(played == ["2", "1", "finished"])
  }
}
