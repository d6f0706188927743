import Streams

/// A value of a diagram's context.
package enum DepthKey: SubscriptionContextKey {
  package static var defaultValue: Int { 0 }
}
