import Fixtures
import Streams
import StreamsTesting

@testable import HTTPWire
@testable import RESTKit

extension RetriedCall {
  /// The recorded log of the call's outcome.
  var log: [CallEvent] {
    (error?.log ?? subscriber.values.first?.journal?.log)?.events ?? []
  }

  /// The waits that were decided, and what was left in the budget then.
  var waits: [(wait: Duration, because: String, budget: Int?)] {
    log.compactMap { event in
      guard case .waiting(let wait, let reason, let budget) = event.kind else { return nil }
      return (wait, reason, budget)
    }
  }

  /// Why there was no further attempt.
  var refusal: String? {
    for case .notRetried(let reason) in log.map(\.kind) { return reason }
    return nil
  }

  /// The attempts as they were counted.
  var attempts: [(number: Int, cause: CallCause)] {
    log.compactMap { event in
      guard case .sent(let number, let cause) = event.kind else { return nil }
      return (number, cause)
    }
  }
}
