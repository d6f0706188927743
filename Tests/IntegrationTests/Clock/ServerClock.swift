import RESTKit
import Synchronization
import Testing

/// The times of a test server's events, by the machine's clock, which the client also uses.
final class ServerClock: Sendable {
  enum Event {
    case accepted
    /// The proxy opened its tunnel.
    case tunnel
    /// The first bytes went back, of a handshake.
    case handshake
    /// The request's last byte was there.
    case request
    /// The first byte of the response went out.
    case answer
    /// The last one did.
    case end
  }

  private struct Key: Hashable {
    let event: Event
    let name: String
  }

  private let notes = Mutex<[Key: ContinuousClock.Instant]>([:])

  /// - Parameter name: The connection, or the request.
  func note(_ event: Event, of name: String) {
    let now = ContinuousClock.now
    notes.withLock { $0[Key(event: event, name: name)] = now }
  }

  func time(_ event: Event, of name: String) throws -> ContinuousClock.Instant {
    let time = notes.withLock { $0[Key(event: event, name: name)] }
    return try #require(time, "\(event) of \(name)")
  }

  func time(from first: Event, to last: Event, of name: String) throws -> Duration {
    try time(last, of: name) - time(first, of: name)
  }
}

/// Expects a time to match the server's, except for the way and for threads that wait for a core.
func expect(
  _ time: Duration?, near expected: Duration, _ name: String,
  _ location: SourceLocation = #_sourceLocation
) throws {
  let time = try #require(time, "\(name)", sourceLocation: location)
  let difference = max(time - expected, expected - time)
  #expect(
    difference < .milliseconds(50), "\(name): \(time), by the server's clock \(expected)",
    sourceLocation: location)
}

/// Expects the phases to add up to the total.
func expectSum(_ metrics: ExchangeMetrics, _ location: SourceLocation = #_sourceLocation) {
  let sum = metrics.phases.reduce(Duration.zero) { $0 + $1.length }
  #expect(sum == metrics.total, sourceLocation: location)
}
