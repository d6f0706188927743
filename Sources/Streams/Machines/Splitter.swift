extension Publishers {
  /// What an operator makes of one value where that may be many: a state machine of value type.
  ///
  /// ``Publisher/through(_:)->Publishers.Split<Self,Machine>`` makes an operator of it. It is given a value,
  /// and asked for what it makes of it one at a time, as the downstream asks, until there is no more. Each
  /// subscription works on a copy of its own. Nobody else works on it meanwhile, so a splitter takes no
  /// lock for its state.
  public protocol Splitter<Input, Output, InputFailure, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype InputFailure: Error
    associatedtype Failure: Error

    /// Takes a value in, once nothing is left of the one before.
    ///
    /// - Throws: What the stream is to fail with; the upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure)

    /// Gives the next value, or nil where it takes another one in, or the end, to make one.
    ///
    /// - Throws: What the stream is to fail with; the upstream is cancelled.
    mutating func next() throws(Failure) -> Output?

    /// Takes the end in, and says how the stream ends once ``next()`` has given what is left.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> Subscribers.Completion<Failure>
  }
}
