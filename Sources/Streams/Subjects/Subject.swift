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
