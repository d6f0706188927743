/// What a ``CallInstrument`` is told of an exchange that ends.
public struct ExchangeEnd: Sendable {
  /// The status of the response; nil where its head has not come.
  public let status: Int?
  /// Why there is no whole response; nil where there is one, or where the exchange was cancelled.
  public let failure: (any Error)?
  /// Whether nobody wants the rest.
  ///
  /// A redirect whose body is not read was not cancelled.
  public let isCancelled: Bool
  /// The time since the exchange began.
  public let duration: Duration
  /// Where the time went, and over which connection; nil where the transport does not tell.
  public let metrics: ExchangeMetrics?

  /// The class of the failure in few words: the status from 400 on, a fault such as `timedOut`,
  /// `cancelled`; nil where there is none.
  public var errorType: String? {
    if let failure {
      return (failure as? any TellableFailure)?.failureClass ?? "\(type(of: failure))"
    }
    if let status, status >= 400 { return "\(status)" }
    return isCancelled ? "cancelled" : nil
  }
}
