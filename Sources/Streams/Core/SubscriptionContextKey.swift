/// A key for a value of a ``SubscriptionContext``.
///
/// The type itself is the key.
public protocol SubscriptionContextKey: Sendable {
  associatedtype Value: Sendable

  /// The value for this key in a context that has none.
  static var defaultValue: Value { get }
}
