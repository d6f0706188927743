extension Publishers {
  /// A ``Publishers/Stage`` that looks at the end, too, and may put one more value behind the last.
  ///
  /// ``Publisher/through(_:)->Publishers.Tailed<Self,Machine>`` makes an operator of it. Each
  /// subscription works on a copy of its own. Signals come one at a time, so a tail takes no lock for
  /// its state.
  public protocol Tail<Input, Output, InputFailure, Failure>: Stage {
    associatedtype InputFailure: Error

    /// How many values in it takes for one out, which are asked for together; one unless it says
    /// otherwise.
    var ratio: Int { get }

    /// Takes the end in, and says what follows the last value.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> TailEnd<Output, Failure>
  }
}

extension Publishers.Tail {
  @inlinable public var ratio: Int { 1 }
}

extension Publishers {
  /// What follows the last value.
  @frozen public enum TailEnd<Output: Sendable, Failure: Error>: Sendable {
    /// The end.
    case end(Subscribers.Completion<Failure>)
    /// One more value, as soon as there is demand for it, then the end.
    case value(Output)
  }
}
