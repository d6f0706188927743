import Streams

/// A test that is verified as a whole: the stubs that were made in it.
final class StubScope: Sendable {
  @TaskLocal static var current: StubScope?

  private let ledgers = Lock<[StubLedger]>([])

  func add(_ ledger: StubLedger) {
    ledgers.withLock { $0.append(ledger) }
  }

  /// Tells what went wrong, and writes what was recorded where nothing did.
  ///
  /// - Parameter hasThrown: Whether the test has failed by an error.
  func verify(hasThrown: Bool, _ report: (StubFailure) -> Void) {
    let ledgers = ledgers.withLock { $0 }
    var failures = ledgers.flatMap { $0.tellRemainingFailures() }
    if !hasThrown, failures.isEmpty, !ledgers.contains(where: \.hasFailed) {
      failures = ledgers.flatMap { $0.save() }
    }
    failures.forEach(report)
  }
}
