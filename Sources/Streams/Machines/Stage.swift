extension Publishers {
  /// What an operator makes of one value at a time: a state machine of value type.
  ///
  /// ``Publisher/through(_:)->Publishers.Staged<Self,Machine>`` makes an operator of it. Each
  /// subscription works on a copy of its own. Values come one at a time, so a stage takes no lock for
  /// its state.
  public protocol Stage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Whether no value at all is wanted: the stream finishes, and the upstream is not subscribed.
    ///
    /// Only asked of a new stage; false unless it says otherwise.
    var isDone: Bool { get }

    /// Takes a value in, and says what becomes of it.
    ///
    /// - Throws: What the stream is to fail with; the upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output>
  }
}

extension Publishers.Stage {
  @inlinable public var isDone: Bool { false }
}

extension Publishers {
  /// What happens next.
  @frozen public enum StageStep<Output: Sendable>: Sendable {
    /// Pass this value on.
    case pass(Output)
    /// Pass nothing on, and ask for another value instead.
    case skip
    /// Pass this value on, cancel the upstream and finish.
    case last(Output)
    /// Cancel the upstream and finish.
    case finish
  }
}
