import Foundation
import Streams

/// One moment on both clocks of a session.
///
/// The wall clock knows how long the machine slept, and may jump; the other never goes back.
struct SessionMoment: Sendable, Equatable {
  let uptime: Duration
  let date: Date

  func advanced(by duration: Duration) -> SessionMoment {
    SessionMoment(uptime: uptime + duration, date: date + duration.timeInterval)
  }

  /// Whether either clock says that it is over.
  func isOver(at now: SessionMoment) -> Bool {
    now.uptime >= uptime || now.date >= date
  }
}
