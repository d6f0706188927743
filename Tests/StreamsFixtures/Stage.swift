import Streams
import Testing

/// An operator set up so that it changes nothing.
///
/// One test can check all of them in the same way.
package struct Stage: Sendable, CustomTestStringConvertible {
  package typealias Stream = AnyPublisher<Int, TestError>
  package typealias Touch = @Sendable () -> Void

  package enum Trigger: Sendable {
    case value, failure, nothing
  }

  /// The object that the closures of an operator call.
  package struct Rig: Sendable {
    package let touch: Touch

    package init(touch: @escaping Touch) {
      self.touch = touch
    }

    /// Touches, and gives the value back.
    package func pass<Value>(_ value: Value) -> Value {
      touch()
      return value
    }
  }

  package let name: String
  /// Whether it requests from its upstream only as much as its downstream requests.
  package let waitsForDemand: Bool
  /// Whether its subscription takes a cancel apart from its upstream's.
  package let hasOwnSubscription: Bool
  /// The event that its closures run for.
  package let trigger: Trigger
  /// Whether it may add one more value, which waits for demand as the end then does.
  package let isTail: Bool
  /// Adds the operator; its closures, if it has any, touch the rig.
  package let attach: @Sendable (Stream, Rig) -> Stream

  package init(
    name: String, waitsForDemand: Bool, hasOwnSubscription: Bool, trigger: Trigger, isTail: Bool,
    attach: @escaping @Sendable (Stream, Rig) -> Stream
  ) {
    self.name = name
    self.waitsForDemand = waitsForDemand
    self.hasOwnSubscription = hasOwnSubscription
    self.trigger = trigger
    self.isTail = isTail
    self.attach = attach
  }

  package var testDescription: String { name }

  package func callAsFunction<Base: Publisher>(
    _ base: Base, touch: @escaping Touch = {}
  ) -> Stream where Base.Output == Int, Base.Failure == TestError {
    attach(base.eraseToAnyPublisher(), Rig(touch: touch))
  }
}
