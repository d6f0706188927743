/// The namespace of the publishers that operators make.
public enum Publishers {}

/// Describes a stream of values over time that ends with a completion or a failure.
///
/// A publisher is a description: nothing happens, and no closure given to an operator runs, before
/// a subscriber arrives (contract C-8); each subscription then does its own work.
public protocol Publisher<Output, Failure>: Sendable {
  associatedtype Output: Sendable
  associatedtype Failure: Error

  /// Connects a subscriber, which is handed one subscription first.
  ///
  /// This is the method to implement; to attach a subscriber, call
  /// ``Publisher/subscribe(_:)->()``.
  /// An implementation may leave `consuming` out; with it, a chain hands its subscriber up without
  /// copying it at each stage.
  func receive<Downstream: Subscriber>(subscriber: consuming Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure
}

extension Publisher {
  /// Connects a subscriber.
  @inlinable public func subscribe<Downstream: Subscriber>(_ subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    receive(subscriber: subscriber)
  }
}
