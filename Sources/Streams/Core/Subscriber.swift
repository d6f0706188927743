/// Takes a stream's signals: one subscription, then values as far as it asks for them, then at most
/// one completion (contract C-2).
///
/// A publisher calls these methods one at a time, whatever threads it uses (C-1).
public protocol Subscriber<Input, Failure>: Sendable {
  associatedtype Input: Sendable
  associatedtype Failure: Error

  /// What this subscriber gives to everything upstream of it; nothing, unless it says otherwise.
  ///
  /// A subscriber between an upstream and a downstream gives its downstream's.
  var context: SubscriptionContext { get }

  /// The first signal. Values flow once ``Subscription/request(_:)`` is called on it.
  func receive(subscription: any Subscription)

  /// A value.
  ///
  /// - Returns: How many values to send on top of what was asked for already.
  func receive(_ input: Input) -> Subscribers.Demand

  /// The last signal.
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
