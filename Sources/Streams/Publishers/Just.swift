/// A publisher of one value, then the end.
///
/// ```marble
/// Just("a")
/// result: (a|)
/// ```
///
/// - Demand: The value, and with it the end, waits for demand.
/// - Errors: None.
/// - Completion: Right after the value.
/// - Cancellation: Releases the value.
/// - Delivery: Where demand comes.
/// - Complexity: O(1); one allocation for each subscription.
@frozen public struct Just<Output: Sendable>: Publisher {
  public typealias Failure = Never

  public let output: Output

  @inlinable public init(_ output: Output) {
    self.output = output
  }

  @inlinable public func receive(subscriber: consuming some Subscriber<Output, Never>) {
    PullSubscription.start(output, for: subscriber)
  }
}

extension Just: Equatable where Output: Equatable {}
