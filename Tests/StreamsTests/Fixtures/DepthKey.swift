import Streams

/// A value of a diagram's context.
enum DepthKey: SubscriptionContextKey {
  static var defaultValue: Int { 0 }
}
