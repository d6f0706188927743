/// The namespace of the publishers that operators make.
public enum Publishers {}

/// A description of a stream of values over time, which ends with a completion or a failure.
///
/// A publisher does nothing before a subscriber arrives, and no closure of an operator runs before
/// that (contract C-8). Each subscription then does its own work.
public protocol Publisher<Output, Failure>: Sendable {
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// Attaches a subscriber, which first receives one subscription.
  ///
  /// Implement this method in a publisher. To attach a subscriber, call
  /// ``Publisher/subscribe(_:)->()`` instead. An implementation may leave out `consuming`. With
  /// `consuming`, a chain passes its subscriber up without a copy at each stage.
  func receive<Downstream: Subscriber>(subscriber: consuming Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure
}

extension Publisher {
  /// Attaches a subscriber.
  @inlinable public func subscribe<Downstream: Subscriber>(_ subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    receive(subscriber: subscriber)
  }
}
