import Streams
import Testing

/// An operator set up so that it changes nothing.
///
/// One test can check all of them in the same way.
struct Stage: Sendable, CustomTestStringConvertible {
  typealias Stream = AnyPublisher<Int, TestError>
  typealias Touch = @Sendable () -> Void

  enum Trigger: Sendable {
    case value, failure, nothing
  }

  /// The object that the closures of an operator call.
  struct Rig: Sendable {
    let touch: Touch

    /// Touches, and gives the value back.
    func pass<Value>(_ value: Value) -> Value {
      touch()
      return value
    }
  }

  let name: String
  /// Whether it requests from its upstream only as much as its downstream requests.
  let waitsForDemand: Bool
  /// Whether its subscription takes a cancel apart from its upstream's.
  let hasOwnSubscription: Bool
  /// The event that its closures run for.
  let trigger: Trigger
  /// Whether it may add one more value, which waits for demand as the end then does.
  let isTail: Bool
  /// Adds the operator; its closures, if it has any, touch the rig.
  let attach: @Sendable (Stream, Rig) -> Stream

  var testDescription: String { name }

  func callAsFunction<Base: Publisher>(
    _ base: Base, touch: @escaping Touch = {}
  ) -> Stream where Base.Output == Int, Base.Failure == TestError {
    attach(base.eraseToAnyPublisher(), Rig(touch: touch))
  }
}
