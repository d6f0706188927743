extension Publishers {
  /// What an operator makes of all values together: a state machine of value type.
  ///
  /// ``Publisher/through(_:)->Publishers.Folded<Self,Machine>`` makes an operator of it. Each
  /// subscription works on a copy of its own. Values come one at a time, so a fold takes no lock for
  /// its state.
  public protocol Fold<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// What to ask the upstream for; everything unless it says otherwise.
    var demand: Subscribers.Demand { get }

    /// Takes a value in.
    ///
    /// - Returns: Whether more are needed to know the result; the upstream is cancelled if not.
    /// - Throws: What the stream is to fail with; the upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> Bool

    /// The result, or nil to finish without a value; asked for once, at the end.
    mutating func result() throws(Failure) -> Output?
  }
}

extension Publishers.Fold {
  @inlinable public var demand: Subscribers.Demand { .unlimited }
}
