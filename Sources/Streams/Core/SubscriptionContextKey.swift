/// Names a value of a ``SubscriptionContext``; the type itself is the key.
public protocol SubscriptionContextKey: Sendable {
  associatedtype Value: Sendable

  /// What a context holds for this key unless it was given a value.
  static var defaultValue: Value { get }
}
