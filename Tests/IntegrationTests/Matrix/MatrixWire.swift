import RESTKit
import Synchronization

/// The answers that a user's calls got, from the events of their transport.
final class MatrixWire: Sendable {
  struct Counts: Sendable, CustomStringConvertible {
    /// All requests, those of refreshes included.
    var sent = 0
    /// 429.
    var limited = 0
    /// 401.
    var refused = 0
    /// 401 to a request that had waited: for a retry, for a turn, or for a token.
    var refusedAfterWait: [String] = []

    var description: String {
      "\(sent) sent, \(limited) × 429, \(refused) × 401, \(refusedAfterWait.count) after a wait"
    }
  }

  private struct State: Sendable {
    var counts = Counts()
    /// The waits of calls since their last answer.
    var waits: [Int: String] = [:]
  }

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }

  func add(_ event: CallEvent) {
    state.withLock { state in
      switch event.kind {
      case .sent: state.counts.sent += 1
      case .waiting, .joinedRefresh: state.waits[event.call] = "\(event)"
      case .received(429, _):
        state.counts.limited += 1
        state.waits[event.call] = nil
      case .received(401, _):
        state.counts.refused += 1
        if let wait = state.waits[event.call] { state.counts.refusedAfterWait.append(wait) }
        state.waits[event.call] = nil
      case .received, .ended: state.waits[event.call] = nil
      default: break
      }
    }
  }
}
