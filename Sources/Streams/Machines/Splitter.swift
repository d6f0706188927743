extension Publishers {
  /// A state machine of value type that makes any number of values from one.
  ///
  /// ``Publisher/through(_:)->Publishers.Split<Self,Machine>`` makes an operator from it. The
  /// splitter receives a value. Its parts are then taken one at a time, as the downstream requests
  /// them, until there are no more. Each subscription works on its own copy. No other thread works
  /// on it meanwhile, so a splitter needs no lock for its state.
  public protocol Splitter<Input, Output, InputFailure, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype InputFailure: Error
    associatedtype Failure: Error

    /// Receives a value, after all parts of the previous one were taken.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure)

    /// Returns the next part, or nil if it needs another value, or the end, to make one.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func next() throws(Failure) -> Output?

    /// Receives the end, and returns how the stream ends after ``next()`` has returned the
    /// remaining parts.
    mutating func end(
      _ completion: Subscribers.Completion<InputFailure>
    ) -> Subscribers.Completion<Failure>
  }
}
