import Streams
import Testing

@Suite("What is left for a test to be torn down", .leakFree)
struct LiveLedgerTests {
  @Test("Each of it is torn down once, in its order")
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
