/// An instrument's object for one call.
public protocol InstrumentedCall: AnyObject, Sendable {
  /// Begins the object of an exchange, before the request is sent. The method does not run for a response
  /// from a cache or from another call's exchange.
  ///
  /// - Parameters:
  ///   - beginning: The request and its cause.
  ///   - headers: The header fields to add, empty at first. A field that the request already has stays
  ///     unchanged.
  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange

  /// Ends the object of the call, exactly once: the call has a result or a failure, or was cancelled.
  ///
  /// An exchange that was cancelled, or that several calls share, may end later.
  func end(_ log: CallLog)
}
