import Streams

/// Who downstream wants to know what an exchange in pieces measured, once all of it has come.
enum TransferMetrics: SubscriptionContextKey {
  typealias Value = (@Sendable (ExchangeMetrics) -> Void)?

  static var defaultValue: Value { nil }
}

extension Publisher where Output == TransferEvent {
  /// Runs a closure with what the exchange measured, before it finishes.
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
