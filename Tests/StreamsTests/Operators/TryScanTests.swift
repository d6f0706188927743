import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("tryScan, tryReduce, tryFilter, tryCompactMap", .leakFree)
struct TryScanTests {
  @Test("tryScan delivers intermediate results until its closure throws")
  func tryScan() {
    let played = finishing(1, 2, 3).tryScan(10) { (sum: Int, value: Int) throws(TestError) -> Int in
      if value == 3 { throw .second }
      return sum + value
    }.played()
    #expect(played == ["11", "13", "failure second"])
  }

  @Test("tryScan starts anew for each subscriber")
  func tryScanTwice() {
    let chain = [1, 2].publisher.tryScan(0) { (sum: Int, value: Int) throws -> Int in sum + value }
    #expect(chain.played() == ["1", "3", "finished"])
    #expect(chain.played() == ["1", "3", "finished"])
  }

  @Test("tryReduce delivers its result at the end, or the closure's error")
  func tryReduce() {
    let chain = { (source: Record<Int, TestError>) in
      source.tryReduce("") { (text: String, value: Int) throws(TestError) -> String in
        if value == 3 { throw .second }
        return text + "\(value)"
      }
    }
    #expect(chain(finishing(1, 2)).played() == ["12", "finished"])
    #expect(chain(finishing()).played() == ["", "finished"])
    #expect(chain(finishing(1, 3)).played() == ["failure second"])
    #expect(chain(finishing(1, 2)).played(asking: .none) == [])
  }

  @Test("tryFilter drops values that do not match and requests others instead")
  func tryFilter() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<Int, any Error>(demand: .max(1))
    source.tryFilter { (value: Int) throws -> Bool in value > 1 }.subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(subscriber.values == [2])
  }

  @Test("tryCompactMap drops nil and requests another value instead")
  func tryCompactMap() {
    let source = TestPublisher<Int, TestError>()
    let subscriber = TestSubscriber<String, any Error>(demand: .max(1))
    source.tryCompactMap { (value: Int) throws -> String? in value > 1 ? "<\(value)>" : nil }
      .subscribe(subscriber)
    #expect(source.send(1) == .max(1))
    #expect(source.send(2) == .none)
    #expect(subscriber.values == ["<2>"])
  }
}
