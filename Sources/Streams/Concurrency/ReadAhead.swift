/// A holder of values that wait to be taken, in the context of its subscription.
///
/// A task requests many values ahead, so that it seldom waits. It does not know how large they are.
/// A source that knows checks this object before it sends more, through any stages in between.
package protocol ReadAhead: AnyObject, Sendable {
  /// Whether values wait to be taken.
  ///
  /// - Parameter whenTaken: A closure that runs once, when no value waits any more, if the result
  ///   is true. It never runs after the consumer of the values has left.
  func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool
}

package enum ReadAheadKey: SubscriptionContextKey {
  package static var defaultValue: (any ReadAhead)? { nil }
}
