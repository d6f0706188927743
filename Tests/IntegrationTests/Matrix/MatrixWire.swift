import RESTKit
import Synchronization

/// Counts the requests of a user and the answers to them, from the events of the transport.
final class MatrixWire: Sendable {
  struct Counts: Sendable, CustomStringConvertible {
    /// All requests, those of refreshes included.
    var sent = 0
    /// 429.
    var limited = 0
    /// 401.
    var refused = 0

    var description: String { "\(sent) requests, \(limited) × 429, \(refused) × 401" }
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func add(_ event: CallEvent) {
    state.withLock { counts in
      switch event.kind {
      case .sent: counts.sent += 1
      case .received(429, _): counts.limited += 1
      case .received(401, _): counts.refused += 1
      default: break
      }
    }
  }
}
