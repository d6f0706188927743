extension Publishers {
  /// A state machine of value type that makes one result from all values.
  ///
  /// ``Publisher/through(_:)->Publishers.Folded<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Values come one at a time, so a fold needs no lock for its
  /// state.
  public protocol Fold<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// The demand for the upstream, unlimited by default.
    var demand: Subscribers.Demand { get }

    /// Receives a value.
    ///
    /// - Returns: Whether more values are needed to know the result. If not, the upstream is
    ///   cancelled.
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> Bool

    /// Returns the result, or nil to finish without a value.
    ///
    /// It is called once, at the end.
    mutating func result() throws(Failure) -> Output?
  }
}

extension Publishers.Fold {
  @inlinable public var demand: Subscribers.Demand { .unlimited }
}
