/// A publisher of one value, followed by the end.
///
/// ```marble
/// Just("a")
/// result: (a|)
/// ```
///
/// - Demand: The value waits for demand, and the end comes with the value.
/// - Errors: None.
/// - Completion: Right after the value.
/// - Cancellation: Releases the value.
/// - Delivery: On the thread of the request.
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
