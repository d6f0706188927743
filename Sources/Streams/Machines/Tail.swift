extension Publishers {
  /// A ``Publishers/Stage`` that also handles the end, and may add one more value after the last.
  ///
  /// ``Publisher/through(_:)->Publishers.Tailed<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Signals come one at a time, so a tail needs no lock for
  /// its state.
  public protocol Tail<Input, Output, InputFailure, Failure>: Stage {
    associatedtype InputFailure: Error

    /// The number of input values for one output value, which are requested together.
    ///
    /// It is one by default.
    var ratio: Int { get }

    /// Receives the end, and returns what follows the last value.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> TailEnd<Output, Failure>
  }
}

extension Publishers.Tail {
  @inlinable public var ratio: Int { 1 }
}

extension Publishers {
  /// The signals that follow the last value.
  @frozen public enum TailEnd<Output: Sendable, Failure: Error>: Sendable {
    /// The completion.
    case end(Subscribers.Completion<Failure>)
    /// One more value, as soon as there is demand for it, and then the end.
    case value(Output)
  }
}
