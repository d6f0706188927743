import Foundation
import Streams

/// One moment on both clocks of a session.
///
/// The wall clock includes the machine's sleep, and may jump. The other clock never goes backward.
struct SessionMoment: Sendable, Equatable {
  let uptime: Duration
  let date: Date

  func advanced(by duration: Duration) -> SessionMoment {
    SessionMoment(uptime: uptime + duration, date: date + duration.timeInterval)
  }

  /// Whether the moment has passed on either clock.
  func isOver(at now: SessionMoment) -> Bool {
    now.uptime >= uptime || now.date >= date
  }
}
