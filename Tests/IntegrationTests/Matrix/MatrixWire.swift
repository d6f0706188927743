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
    /// 401 to a request that left after the latest token had come, and before that token ended.
    var stale = 0

    var description: String {
      "\(sent) requests, \(limited) × 429, \(refused) × 401, of these \(stale) stale"
    }
  }

  private struct State: Sendable {
    var counts = Counts()
    /// The times at which calls sent their latest requests.
    var departures: [Int: ContinuousClock.Instant] = [:]
    /// The time at which the latest tokens came, and a time at which they still lived.
    var latest = (coming: ContinuousClock.now, end: ContinuousClock.now)
  }

  /// The time that a response takes to become the session's token, on a machine with much to do.
  private static let tolerance = Duration.milliseconds(50)

  private let state = Mutex(State())

  var counts: Counts { state.withLock { $0.counts } }

  func add(_ event: CallEvent) {
    let now = ContinuousClock.now
    state.withLock { state in
      switch event.kind {
      case .sent:
        state.counts.sent += 1
        state.departures[event.call] = now
      case .decoded(String(describing: TokenResponse.self)):
        // The server counts their life from some time between the request and the response.
        state.latest = (now, (state.departures[event.call] ?? now) + .seconds(10))
      case .received(429, _): state.counts.limited += 1
      case .received(401, let metrics):
        state.counts.refused += 1
        if let left = departure(of: event.call, metrics, answeredAt: now, state),
          left > state.latest.coming + Self.tolerance, now < state.latest.end
        {
          state.counts.stale += 1
        }
      default: break
      }
    }
  }

  /// When a request left the line for a connection.
  private func departure(
    of call: Int, _ metrics: ExchangeMetrics?, answeredAt now: ContinuousClock.Instant,
    _ state: State
  ) -> ContinuousClock.Instant? {
    if let total = metrics?.total, let queued = metrics?.queued { return now - (total - queued) }
    return state.departures[call]
  }
}
