/// A publisher that sends nothing before it is told to connect, so that all its subscribers can be
/// there when the first value comes.
public protocol ConnectablePublisher<Output, Failure>: Publisher {
  /// Begins to send values to all subscribers, those who are there and those who come.
  ///
  /// - Returns: What ends the connection. Dropping it does not.
  func connect() -> any Cancellable
}
