import Foundation
import Streams

/// The scheduler, the wall clock and the source of jitter of what is made without one: the
/// system's, or in a test on virtual time those of the test.
///
/// With it, a type of an app follows the test's `.virtualTime`, as the types of RESTKit do:
///
/// ```swift
/// final class SearchModel {
///   init(api: ShopAPI, scheduler: any Scheduler = StandardTime.scheduler(else: .mainActor)) { … }
/// }
/// ```
///
/// A test then gives the model no scheduler, and cannot forget one. What the caller passes wins.
///
/// The answer is that of the moment of the call, for the task of the call: what a test makes, or a
/// task that the test has started, has the test's time. For a value that is kept longer than a
/// test, such as a `static let`, ask in the closure of a `Deferred`, and so for each subscription.
/// Outside of tests it costs a look at a task-local value.
public enum StandardTime {
  /// Returns the scheduler of the test in whose task this code runs, or else another one.
  ///
  /// - Parameter system: The scheduler outside of a test on virtual time.
  public static func scheduler(
    else system: @autoclosure () -> any Scheduler = .continuous
  ) -> any Scheduler {
    TestTime.current?.scheduler ?? system()
  }

  /// Returns the wall clock of the test in whose task this code runs, or else the system's.
  ///
  /// - Returns: A closure that returns the date when it is called.
  public static func wallClock() -> @Sendable () -> Date {
    TestTime.current?.date ?? systemClock
  }

  /// Returns a source of random numbers, such as for the jitter of
  /// ``Streams/Publisher/retry(_:backoff:scheduler:generator:)``: a seeded one in a test on virtual
  /// time, which is the same for each call, or else the system's.
  public static func generator() -> any RandomNumberGenerator & Sendable {
    TestTime.current?.generator ?? SystemRandomNumberGenerator()
  }

  package static let systemClock: @Sendable () -> Date = { Date() }
}
