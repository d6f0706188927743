/// What an operator makes of values when one more may follow the last: a state machine of value
/// type.
///
/// ``Publisher/through(_:)->Publishers.Tailed<Self,Machine>`` makes an operator of it. Each
/// subscription works on a copy of its own. Signals come one at a time, so a tail takes no lock for
/// its state.
public protocol Tail<Input, Output, InputFailure, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Output: Sendable
  associatedtype InputFailure: Error
  associatedtype Failure: Error

  /// How many values in it takes for one out; one unless it says otherwise.
  var ratio: Int { get }

  /// Takes a value in.
  ///
  /// - Returns: The value to pass on, or nil where it takes more for one.
  mutating func receive(_ input: Input) -> Output?

  /// Takes the end in, and says what follows the last value.
  mutating func end(
    _ completion: Subscribers.Completion<InputFailure>
  ) -> TailEnd<Output, Failure>
}

extension Tail {
  @inlinable public var ratio: Int { 1 }
}

/// What follows the last value.
@frozen public enum TailEnd<Output: Sendable, Failure: Error>: Sendable {
  /// The end.
  case end(Subscribers.Completion<Failure>)
  /// One more value, as soon as there is demand for it, then the end.
  case value(Output)
}
