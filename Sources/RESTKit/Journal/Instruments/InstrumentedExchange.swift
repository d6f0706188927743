/// An instrument's object for one exchange.
public protocol InstrumentedExchange: AnyObject, Sendable {
  /// Ends the object of the exchange, exactly once: before its result or its last piece is delivered, or when
  /// it is cancelled.
  func end(_ end: ExchangeEnd)
}
