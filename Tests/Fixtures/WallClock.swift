import Foundation
import Streams

/// A wall clock that goes with a scheduler, and jumps when a test says so.
package final class WallClock: Sendable {
  package static let start = Date(timeIntervalSince1970: 1_770_000_000)

  private let scheduler: any Scheduler
  private let offset = Lock<TimeInterval>(0)

  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  package var now: Date { Self.start + scheduler.now / .seconds(1) + offset.withLock { $0 } }

  package func jump(by seconds: TimeInterval) {
    offset.withLock { $0 += seconds }
  }
}
