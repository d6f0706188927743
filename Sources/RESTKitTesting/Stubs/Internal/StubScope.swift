import Streams

/// The stubs that were made in a test that is verified as a whole.
final class StubScope: Sendable {
  @TaskLocal static var current: StubScope?

  private let ledgers = Lock<[StubLedger]>([])

  func add(_ ledger: StubLedger) {
    ledgers.withLock { $0.append(ledger) }
  }

  /// Reports the failures.
  ///
  /// If there are none, writes the recordings.
  ///
  /// - Parameter hasThrown: Whether the test has thrown an error.
  func verify(hasThrown: Bool, _ report: (StubFailure) -> Void) {
    let ledgers = ledgers.withLock { $0 }
    var failures = ledgers.flatMap { $0.tellRemainingFailures() }
    if !hasThrown, failures.isEmpty, !ledgers.contains(where: \.hasFailed) {
      failures = ledgers.flatMap { $0.save() }
    }
    failures.forEach(report)
  }
}
