/// What a ``CallInstrument`` has of one call.
public protocol InstrumentedCall: AnyObject, Sendable {
  /// Begins what belongs to an exchange, before the request leaves. It does not run for an answer from a
  /// cache, nor for one that another call's exchange brings.
  ///
  /// - Parameters:
  ///   - beginning: The request, and why it is sent.
  ///   - headers: The header fields to add, empty at first. A field that the request has stays as it is.
  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange

  /// Ends what belongs to the call, exactly once: it has a result or a failure, or was cancelled.
  ///
  /// An exchange that was cancelled, or that several calls share, may end later.
  func end(_ log: CallLog)
}
