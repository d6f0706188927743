import Foundation
import Streams

/// The scheduler and the wall clock of what is created without one.
///
/// They are those of the system, or in a test those of its virtual time, so that a test has one
/// place to say it.
@usableFromInline
package struct StandardTime: Sendable {
  /// That of the test in whose task this code runs; nil for that of the system.
  @TaskLocal package static var current: StandardTime?

  private let scheduler: any Scheduler
  private let date: @Sendable () -> Date

  package init(scheduler: any Scheduler, date: @escaping @Sendable () -> Date) {
    self.scheduler = scheduler
    self.date = date
  }

  /// Returns the test's scheduler, or else another one.
  @usableFromInline
  package static func scheduler(else system: @autoclosure () -> any Scheduler) -> any Scheduler {
    current?.scheduler ?? system()
  }

  /// Returns the test's wall clock, or else the system's.
  @usableFromInline
  package static func wallClock() -> @Sendable () -> Date {
    if let date = current?.date { return date }
    return { Date() }
  }
}
