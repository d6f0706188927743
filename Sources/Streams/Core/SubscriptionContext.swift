/// Values that a subscriber gives to all publishers upstream.
///
/// Values flow downstream. A context flows upstream, with the subscription. It reaches each
/// publisher of a pipeline on any thread, including the publishers that `flatMap` makes later, and
/// no other publisher. If many subscribers share one upstream (`share`, subjects, single flights),
/// that upstream gets none of their contexts.
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
  /// The value that was added last, which is found first.
  @usableFromInline let last: (any ContextEntry)?

  @inlinable init(last: (any ContextEntry)?) {
    self.last = last
  }

  /// Creates an empty context.
  @inlinable public init() {
    last = nil
  }

  /// The value for a key, or the key's default value.
  ///
  /// - Complexity: O(n) in the number of values in the context.
  @inlinable public subscript<Key: SubscriptionContextKey>(key: Key.Type) -> Key.Value {
    var next = last
    while let entry = next {
      // Most entries are of other keys, and a cast that fails takes longer than to compare the
      // types.
      if type(of: entry) == Entry<Key>.self, let entry = entry as? Entry<Key> {
        return entry.value
      }
      next = entry.previous
    }
    return Key.defaultValue
  }

  /// Returns a copy of this context with a new value for a key.
  @inlinable public func setting<Key: SubscriptionContextKey>(
    _ key: Key.Type, to value: Key.Value
  ) -> SubscriptionContext {
    SubscriptionContext(last: Entry<Key>(value: value, previous: last))
  }
}

/// A value of a context, linked to the values that were added before it.
@usableFromInline protocol ContextEntry: AnyObject, Sendable {
  var previous: (any ContextEntry)? { get }
}

extension SubscriptionContext {
  // The key is part of the type, so one cast of a class finds both the key and the type of the
  // value.
  @usableFromInline final class Entry<Key: SubscriptionContextKey>: ContextEntry {
    @usableFromInline let value: Key.Value
    @usableFromInline let previous: (any ContextEntry)?

    @inlinable init(value: Key.Value, previous: (any ContextEntry)?) {
      self.value = value
      self.previous = previous
    }
  }
}

/// A key for a value of a ``SubscriptionContext``.
///
/// The type itself is the key.
public protocol SubscriptionContextKey: Sendable {
  associatedtype Value: Sendable

  /// The value for this key in a context that has none.
  static var defaultValue: Value { get }
}
