import Streams
import StreamsFixtures
import Testing

@Suite("A test's teardown closures", .leakFree)
struct LeakCounterTests {
  @Test("Each teardown closure runs once, in order")
  func once() {
    let order = Recording<Int>()
    let counter = LeakCounter()
    for value in 1...2 {
      counter.addTeardown { order.add(value) }
    }
    counter.tearDown()
    counter.tearDown()
    #expect(order.elements == [1, 2])
  }
}
