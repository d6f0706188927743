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
  @usableFromInline let last: (any ContextEntry)?

  @inlinable init(last: (any ContextEntry)?) {
    self.last = last
  }

  /// The context without values.
  @inlinable public init() {
    last = nil
  }

  /// The value for a key, or the key's default.
  ///
  /// - Complexity: O(n) in the number of values given.
  @inlinable public subscript<Key: SubscriptionContextKey>(key: Key.Type) -> Key.Value {
    var next = last
    while let entry = next {
      // Most entries are of other keys, and a cast that fails takes longer than to compare the types.
      if type(of: entry) == Entry<Key>.self, let entry = entry as? Entry<Key> {
        return entry.value
      }
      next = entry.previous
    }
    return Key.defaultValue
  }

  /// This context with a value in the place of whatever the key had.
  @inlinable public func setting<Key: SubscriptionContextKey>(
    _ key: Key.Type, to value: Key.Value
  ) -> SubscriptionContext {
    SubscriptionContext(last: Entry<Key>(value: value, previous: last))
  }
}

/// A value of a context and, behind it, those that were given before.
@usableFromInline protocol ContextEntry: AnyObject, Sendable {
  var previous: (any ContextEntry)? { get }
}

extension SubscriptionContext {
  // The key is part of the type, so that one cast of a class finds it and the type of the value.
  @usableFromInline final class Entry<Key: SubscriptionContextKey>: ContextEntry {
    @usableFromInline let value: Key.Value
    @usableFromInline let previous: (any ContextEntry)?

    @inlinable init(value: Key.Value, previous: (any ContextEntry)?) {
      self.value = value
      self.previous = previous
    }
  }
}
