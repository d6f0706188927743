/// A receiver of a stream's signals.
///
/// It receives one subscription, then no more values than it requests, then at most one completion
/// (contract C-2).
///
/// A publisher calls these methods one at a time, on any threads (C-1).
public protocol Subscriber<Input, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Failure: Error

  /// The context that this subscriber gives to all publishers upstream, empty by default.
  ///
  /// A subscriber inside a pipeline returns its downstream's context.
  var context: SubscriptionContext { get }

  /// Receives the subscription, which is the first signal.
  ///
  /// Values flow after a call of its ``Subscription/request(_:)``.
  func receive(subscription: any Subscription)

  /// Receives a value.
  ///
  /// - Returns: The number of values to send in addition to those requested already.
  func receive(_ input: Input) -> Subscribers.Demand

  /// Receives the completion, which is the last signal.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber {
  @inlinable public var context: SubscriptionContext { SubscriptionContext() }
}

extension Subscriber where Input == Void {
  @inlinable public func receive() -> Subscribers.Demand {
    receive(())
  }
}
