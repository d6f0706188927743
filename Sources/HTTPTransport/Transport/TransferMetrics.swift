import HTTPWire
import Streams

/// The context key of a downstream closure that receives the metrics of an exchange in pieces, once
/// the response is complete.
enum TransferMetrics: SubscriptionContextKey {
  typealias Value = (@Sendable (ExchangeMetrics) -> Void)?

  static var defaultValue: Value { nil }
}

extension Publisher where Output == TransferEvent {
  /// Runs a closure with the metrics of the exchange, before the exchange finishes.
  package func onMetrics(
    _ tell: @escaping @Sendable (ExchangeMetrics) -> Void
  ) -> some Publisher<TransferEvent, Failure> {
    DeferredInContext { context in
      let others = context[TransferMetrics.self]
      return self.context(TransferMetrics.self) { metrics in
        tell(metrics)
        others?(metrics)
      }
    }
  }
}
