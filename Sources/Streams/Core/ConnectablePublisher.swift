/// A publisher that sends nothing before it is told to connect, so that all its subscribers can be
/// there when the first value comes.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Begins to send values to all subscribers, those who are there and those who come.
  ///
  /// - Returns: What ends the connection. Dropping it does not.
  func connect() -> any Cancellable

  /// Subscribes, and says beforehand which run the subscriber takes part in.
  ///
  /// A run lasts to the end of a connection that ends by itself; who comes after that end takes part
  /// in the next. `autoconnect()` counts subscribers by runs: one that comes while an end is on its
  /// way to others waits for a connection of its own, and is not taken for one of them.
  ///
  /// A publisher that serves late subscribers from something new, as ``Publishers/Multicast`` does,
  /// has to say so here. By default there are no runs: whoever is there takes part in what ends.
  ///
  /// - Parameter makeSubscriber: Makes the subscriber of a run, at once. Later runs have greater
  ///   numbers; nil where there are none.
  func receive<Downstream: Subscriber>(makeSubscriber: (_ run: Int?) -> Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure
}

extension ConnectablePublisher {
  @inlinable public func receive<Downstream: Subscriber>(
    makeSubscriber: (_ run: Int?) -> Downstream
  ) where Downstream.Input == Output, Downstream.Failure == Failure {
    receive(subscriber: makeSubscriber(nil))
  }
}
