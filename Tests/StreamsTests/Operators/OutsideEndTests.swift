import StreamsTesting
import Testing

@testable import Streams

@Suite("An end from outside, and a value at the door", .leakFree)
struct OutsideEndTests {
  let subscriber = TestSubscriber<Int, Never>()

  @Test("C-1: a value that comes after the end was decided stays outside, and does not hold it up")
  func afterEnd() {
    // As long as it hands the subscription over, the end waits.
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.close(.finished)
    let isIn = driver.enter()
    #expect(!isIn && subscriber.kinds.isEmpty)
    driver.leave()
    #expect(subscriber.kinds == ["finished"])
  }

  @Test("C-4: a value that comes after a cancel stays outside, and no end follows")
  func afterCancel() {
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.cancel()
    let isIn = driver.enter()
    driver.leave()
    driver.close(.finished)
    #expect(!isIn && subscriber.kinds.isEmpty)
  }

  @Test("C-1: the first of two ends is the one that comes")
  func twoEnds() {
    let subscriber = TestSubscriber<Int, TestError>()
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.close(.failure(.second))
    driver.close(.finished)
    driver.leave()
    #expect(subscriber.kinds == ["failure second"])
  }
}
