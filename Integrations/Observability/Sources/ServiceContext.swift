import Streams
import Tracing

/// The key of the tracing context that is the parent of a call's span.
///
/// The default is the context of the task, unless the downstream sets another one.
enum ParentContextKey: SubscriptionContextKey {
  static var defaultValue: ServiceContext? { ServiceContext.current }
}

extension Publisher {
  /// Sets the context whose span is the parent of the spans of this pipeline's calls.
  ///
  /// ```swift
  /// orders.flatMap { api.send(Receipt(of: $0)) }.serviceContext()
  /// ```
  ///
  /// A pipeline needs this operator if its calls begin outside the task that subscribes: after
  /// another call, a timer or a scheduler, where there is no task context. The whole upstream then
  /// has the context.
  ///
  /// - Demand: The downstream's demand.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  ///
  /// - Parameter context: The context, or nil for the context of the task that subscribes.
  public func serviceContext(_ context: ServiceContext? = nil) -> some Publisher<Output, Failure> {
    DeferredInContext { outer in
      self.context(ParentContextKey.self, context ?? outer[ParentContextKey.self])
    }
  }
}
