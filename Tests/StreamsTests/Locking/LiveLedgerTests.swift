import Streams
import Testing

@Suite("A test's teardown closures", .leakFree)
struct LiveLedgerTests {
  @Test("Each teardown closure runs once, in order")
  func once() {
    let order = Recording<Int>()
    let ledger = LiveLedger()
    for value in 1...2 {
      ledger.addTeardown { order.add(value) }
    }
    ledger.tearDown()
    ledger.tearDown()
    #expect(order.elements == [1, 2])
  }
}
