import Foundation
import Streams

/// The clocks for the dates and times of recorded exchanges.
struct RecordingClock: Sendable {
  var scheduler: any Scheduler = .continuous
  var date: @Sendable () -> Date = { Date() }
}
