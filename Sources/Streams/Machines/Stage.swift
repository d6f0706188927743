extension Publishers {
  /// A state machine of value type that handles one value at a time.
  ///
  /// ``Publisher/through(_:)->Publishers.Staged<Self,Machine>`` makes an operator from it. Each
  /// subscription works on its own copy. Values come one at a time, so a stage needs no lock for
  /// its state.
  public protocol Stage<Input, Output, Failure>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable
    associatedtype Failure: Error

    /// Whether the stage wants no value at all.
    ///
    /// If true, the stream finishes, and the upstream is not subscribed.
    ///
    /// It is read only from a new stage, and is false by default.
    var isDone: Bool { get }

    /// Receives a value and returns the next step.
    ///
    /// - Throws: The failure of the stream. The upstream is cancelled.
    mutating func receive(_ input: Input) throws(Failure) -> StageStep<Output>
  }
}

extension Publishers.Stage {
  @inlinable public var isDone: Bool { false }
}

extension Publishers {
  /// The step that follows a value.
  @frozen public enum StageStep<Output: Sendable>: Sendable {
    /// Pass this value on.
    case pass(Output)
    /// Pass nothing on, and request another value instead.
    case skip
    /// Pass this value on, cancel the upstream and finish.
    case last(Output)
    /// Cancel the upstream and finish.
    case finish
  }
}
