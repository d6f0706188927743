/// Who keeps values until they are taken, in the context of what it asks for.
///
/// A task asks for many values ahead, so that it seldom has to wait. How large they are it does not
/// know; a source that does looks here before it gives more, whatever stages are in between.
package protocol ReadAhead: AnyObject, Sendable {
  /// Whether values wait to be taken.
  ///
  /// - Parameter whenTaken: Runs once, when none waits any more, if this is true. It never runs once
  ///   nobody takes values any more.
  func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool
}

package enum ReadAheadKey: SubscriptionContextKey {
  package static var defaultValue: (any ReadAhead)? { nil }
}
