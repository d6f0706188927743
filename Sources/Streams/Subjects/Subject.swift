/// A publisher that is told what to publish, by whoever holds it.
///
/// `send` may be called on any thread and from inside a delivery: every subscriber sees the same
/// values in the same order, and a send from inside a delivery is delivered after it (contract C-9).
///
/// Whoever finds nobody delivering delivers. What others send meanwhile waits in an inbox, and their
/// `send` returns; who delivers goes on until that is empty, so that one thread may work for all who
/// send. The inbox of this module's subjects has no bound, unless their `init` with an `inboxSize` gives
/// it one.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)

  /// Ends the stream for all subscribers, now and later.
  func send(completion: Subscribers.Completion<Failure>)

  /// Takes in the subscription of an upstream that feeds this subject, and asks it for everything.
  ///
  /// It is cancelled when the subject ends, and when the subject goes away.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes that something happened.
  public func send() {
    send(())
  }
}

extension Publisher {
  /// Feeds a subject with the values and the end of this publisher.
  ///
  /// The publisher is asked for everything; whoever subscribed the subject gets what it asked for.
  /// The end ends the subject for good, as one that is sent does, and an end of the subject cancels
  /// this publisher. A cancel leaves the subject open.
  ///
  /// - Parameter subject: What to feed, on whatever thread this publisher delivers; held until the
  ///   end or a cancel.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
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
