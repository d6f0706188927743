/// Values that a subscriber gives to everything upstream of it.
///
/// Values flow downstream; a context goes the other way, with the subscription. It reaches each
/// publisher of a pipeline, those that `flatMap` makes later too, whatever threads are in between,
/// and nobody else. Where many subscribers share one upstream (`share`, subjects, single flights)
/// that has none of their contexts.
///
/// ```swift
/// enum RequestID: SubscriptionContextKey {
///   static var defaultValue: String { "none" }
/// }
///
/// DeferredInContext { context in Just(context[RequestID.self]) }
///   .context(RequestID.self, "7")
/// ```
@frozen public struct SubscriptionContext: Sendable {
  /// The value that was given last is found first.
  @usableFromInline let last: Entry?

  @usableFromInline init(last: Entry?) {
    self.last = last
  }

  /// The context without values.
  @inlinable public init() {
    last = nil
  }

  /// The value for a key, or the key's default.
  ///
  /// - Complexity: O(n) in the number of values given.
  public subscript<Key: SubscriptionContextKey>(key: Key.Type) -> Key.Value {
    var next = last
    while let entry = next {
      if entry.key == ObjectIdentifier(key), let value = entry.value as? Key.Value { return value }
      next = entry.previous
    }
    return Key.defaultValue
  }

  /// This context with a value in the place of whatever the key had.
  public func setting<Key: SubscriptionContextKey>(
    _ key: Key.Type, to value: Key.Value
  ) -> SubscriptionContext {
    SubscriptionContext(
      last: Entry(key: ObjectIdentifier(key), value: value, previous: last))
  }

  @usableFromInline final class Entry: Sendable {
    let key: ObjectIdentifier
    let value: any Sendable
    let previous: Entry?

    init(key: ObjectIdentifier, value: any Sendable, previous: Entry?) {
      self.key = key
      self.value = value
      self.previous = previous
    }
  }
}
