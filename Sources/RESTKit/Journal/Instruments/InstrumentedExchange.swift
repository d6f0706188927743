/// What a ``CallInstrument`` has of one exchange.
public protocol InstrumentedExchange: AnyObject, Sendable {
  /// Ends what belongs to the exchange, exactly once: before its result or its last piece is delivered, or
  /// where it is cancelled.
  func end(_ end: ExchangeEnd)
}
