import Foundation
import Streams

/// What a value that may be kept longer than a test knows about time.
///
/// Its time is that of its use: of the test that subscribes, also if another test has made the
/// value. On a thread without a test, it is that of the test that made the value, such as within a
/// pipeline of this test. When that test is over, it is the system's.
package struct KeptTime: Sendable {
  private let maker: TestTime?

  package init() { maker = .current }

  /// - Parameter time: The time of the value's use, which stays.
  package init(of time: TestTime?) { maker = time }

  /// The time of the test to which this use belongs; nil for the system's.
  ///
  /// It reads one task-local value.
  package var inUse: TestTime? {
    if let current = TestTime.current { return current }
    guard let maker, !maker.isOver else { return nil }
    return maker
  }

  /// A wall clock that tells the date of its use.
  package var wallClock: @Sendable () -> Date {
    { self.inUse?.date() ?? Date() }
  }
}

/// A scheduler that a value keeps: its user's own, or the standard one of its use.
package struct KeptScheduler: Sendable {
  private let own: (any Scheduler)?
  private let system: any Scheduler
  private let time = KeptTime()

  /// - Parameters:
  ///   - own: The scheduler that the user gives; nil for the standard one.
  ///   - system: The standard one outside of a test on virtual time.
  package init(_ own: (any Scheduler)?, else system: @autoclosure () -> any Scheduler) {
    self.own = own
    self.system = own ?? system()
  }

  package var inUse: any Scheduler { own ?? time.inUse?.scheduler ?? system }

  /// The scheduler for the time limit of a sign-in, which a test hears of.
  package func timing(_ owner: String) -> any Scheduler {
    let test = time.inUse
    guard let own else { return test?.scheduler ?? system }
    return test?.timing(own, by: owner) { "A sign-in" } ?? own
  }
}
