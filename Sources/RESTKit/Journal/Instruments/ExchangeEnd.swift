/// The information that a ``CallInstrument`` gets about an exchange that ends.
public struct ExchangeEnd: Sendable {
  /// The status of the response, or nil if its head has not arrived.
  public let status: Int?
  /// The failure, or nil if the response is complete or the exchange was cancelled.
  public let failure: (any Error)?
  /// Whether the exchange was cancelled.
  ///
  /// A redirect with an unread body does not count as cancelled.
  public let isCancelled: Bool
  /// The time since the exchange began.
  public let duration: Duration
  /// The phases and the connection of the exchange, or nil if the transport does not report them.
  public let metrics: ExchangeMetrics?

  /// The class of the failure in few words: a status of 400 or higher, a fault such as `timedOut`, or
  /// `cancelled`.
  ///
  /// It is nil without a failure.
  public var errorType: String? {
    if let failure {
      return (failure as? any TellableFailure)?.failureClass ?? "\(type(of: failure))"
    }
    if let status, status >= 400 { return "\(status)" }
    return isCancelled ? "cancelled" : nil
  }
}
