import Streams

/// A clock of calls.
///
/// It is an object, because to copy a clock whose type is hidden takes longer than to read it.
package final class CallClock: Sendable {
  private let scheduler: any Scheduler

  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  package var now: Duration { scheduler.now }
}
