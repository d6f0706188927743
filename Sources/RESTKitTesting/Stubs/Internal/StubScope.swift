import Streams

/// A test that is verified as a whole: the stubs that were made in it.
final class StubScope: Sendable {
  @TaskLocal static var current: StubScope?

  private let ledgers = Lock<[StubLedger]>([])

  func add(_ ledger: StubLedger) {
    ledgers.withLock { $0.append(ledger) }
  }

  func verify(_ report: (StubFailure) -> Void) {
    for ledger in ledgers.withLock({ $0 }) {
      ledger.tellRemainingFailures().forEach(report)
    }
  }
}
