import Streams
import Tracing

/// In the context of a call: what its span stands below.
///
/// Unless somebody downstream says otherwise, that is the context of the task.
enum ParentContextKey: SubscriptionContextKey {
  static var defaultValue: ServiceContext? { ServiceContext.current }
}

extension Publisher {
  /// Gives the calls of this pipeline a context, below whose span theirs stand.
  ///
  /// ```swift
  /// orders.flatMap { api.send(Receipt(of: $0)) }.serviceContext()
  /// ```
  ///
  /// A pipeline needs it where its calls begin outside the task that subscribes: behind another call, a
  /// timer or a scheduler, where there is no task to ask. Everything upstream has it then.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  ///
  /// - Parameter context: The context; nil for that of the task that subscribes.
  public func serviceContext(_ context: ServiceContext? = nil) -> some Publisher<Output, Failure> {
    DeferredInContext { outer in
      self.context(ParentContextKey.self, context ?? outer[ParentContextKey.self])
    }
  }
}
