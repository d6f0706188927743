import Foundation
import Streams

/// What dates and times recorded exchanges.
struct RecordingClock: Sendable {
  var scheduler: any Scheduler = .continuous
  var date: @Sendable () -> Date = { Date() }
}
