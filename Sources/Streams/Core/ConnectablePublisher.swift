/// A publisher that sends nothing before a call of `connect()`.
///
/// All its subscribers can therefore be attached before the first value.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Begins to send values to all present and future subscribers.
  ///
  /// - Returns: A cancellable that ends the connection. Releasing it does not end the connection.
  func connect() -> any Cancellable

  /// Begins to send values as ``connect()`` does, and hands out the connection before the first
  /// signal.
  ///
  /// So a connection to a source that sends all its values at once can be ended meanwhile.
  /// `autoconnect()` calls this method. A publisher that may send inside of ``connect()``, as
  /// ``Publishers/Multicast`` does, must implement it. By default, the connection is handed out
  /// when it is made.
  ///
  /// - Parameter willStart: A closure that gets what ``connect()`` returns. It is called once,
  ///   before this method returns. A connection that it cancels does not begin.
  func connect(willStart: (any Cancellable) -> Void)

  /// Attaches a subscriber that knows in advance which run it takes part in.
  ///
  /// A run lasts until a connection ends by itself. A subscriber that arrives after that end takes
  /// part in the next run. `autoconnect()` counts subscribers by run. A subscriber that arrives
  /// while an end is being delivered to others waits for a connection of its own. It does not count
  /// as one of those others.
  ///
  /// A publisher that serves late subscribers from a new source, as ``Publishers/Multicast`` does,
  /// must implement this method. By default there are no runs, and an end concerns all present
  /// subscribers.
  ///
  /// - Parameter makeSubscriber: A closure that makes the subscriber of a run. It is called before
  ///   this method returns. A later run has a greater number. The number is nil if there are no
  ///   runs.
  func receive<Downstream: Subscriber>(makeSubscriber: (_ run: Int?) -> Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure
}

extension ConnectablePublisher {
  @inlinable public func connect(willStart: (any Cancellable) -> Void) {
    willStart(connect())
  }

  @inlinable public func receive<Downstream: Subscriber>(
    makeSubscriber: (_ run: Int?) -> Downstream
  ) where Downstream.Input == Output, Downstream.Failure == Failure {
    receive(subscriber: makeSubscriber(nil))
  }
}
