/// A publisher of the values that your code sends to it.
///
/// You can call `send` on any thread and from inside a delivery. Every subscriber receives the same
/// values in the same order. A value that is sent from inside a delivery is delivered after it
/// (contract C-9).
///
/// A thread that finds no other thread delivering delivers. Values that other threads send
/// meanwhile wait in an inbox, and their `send` returns. The delivering thread continues until the
/// inbox is empty, so one thread may work for all senders. The inbox of this module's subjects has
/// no bound, unless their `init` with an `inboxSize` sets one.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)

  /// Ends the stream for all present and future subscribers.
  func send(completion: Subscribers.Completion<Failure>)

  /// Receives the subscription of an upstream that feeds this subject, and requests everything from
  /// it.
  ///
  /// The subscription is cancelled when the subject ends, and when the subject is released.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes an event without a value.
  public func send() {
    send(())
  }
}

extension Publisher {
  /// Feeds a subject with the values and the end of this publisher.
  ///
  /// The subject requests everything from the publisher, and each of its subscribers gets what it
  /// requests. The end of the publisher ends the subject for good, as a sent end does. An end of
  /// the subject cancels this publisher. A cancel leaves the subject open.
  ///
  /// - Parameter subject: The subject to feed, on the thread that this publisher delivers on. It is
  ///   held until the end or a cancel.
  /// - Returns: A cancellable that keeps the subscription alive. Releasing it cancels the
  ///   subscription.
  @inlinable public func subscribe<Fed: Subject>(_ subject: Fed) -> AnyCancellable
  where Fed.Output == Output, Fed.Failure == Failure {
    let gate = UpstreamGate()
    receive(
      subscriber: SubjectFeed(
        gate: gate, subject: subject,
        begin: { _ in subject.send(subscription: GateSubscription(gate)) }, willEnd: { _ in }))
    return AnyCancellable(gate)
  }
}
