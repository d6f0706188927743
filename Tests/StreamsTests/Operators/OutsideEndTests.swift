import StreamsFixtures
import StreamsTesting
import Testing

@testable import Streams

@Suite("An end from outside the stream", .leakFree)
struct OutsideEndTests {
  let subscriber = TestSubscriber<Int, Never>()

  @Test("C-1: a value after the decision to end is not delivered and does not delay the end")
  func afterEnd() {
    // As long as it hands the subscription over, the end waits.
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.close(.finished)
    let isIn = driver.enter()
    #expect(!isIn && subscriber.kinds.isEmpty)
    driver.leave()
    #expect(subscriber.kinds == ["finished"])
  }

  @Test("C-4: a value after a cancel is not delivered, and no end follows")
  func afterCancel() {
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.cancel()
    let isIn = driver.enter()
    driver.leave()
    driver.close(.finished)
    #expect(!isIn && subscriber.kinds.isEmpty)
  }

  @Test("C-1: the first of two ends is delivered")
  func twoEnds() {
    let subscriber = TestSubscriber<Int, TestError>()
    let driver = OutsideEnd(subscriber, isPassing: true)
    driver.close(.failure(.second))
    driver.close(.finished)
    driver.leave()
    #expect(subscriber.kinds == ["failure second"])
  }
}
