import Streams

/// The reason why a request reaches a transport, for code that stands in for a server.
package struct CallOrigin: Sendable {
  /// The context key of a redirect's cause, for exchanges without a call that counts.
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallCause { .first }
  }

  /// The number of the attempt in its call, from 1.
  ///
  /// Redirects are part of the attempt.
  package let attempt: Int
  package let cause: CallCause

  /// - Parameter context: The context of the subscriber to the transport's response.
  package init(_ context: SubscriptionContext) {
    if let last = context.call?.lastSending {
      (attempt, cause) = last
    } else {
      (attempt, cause) = (1, context[Key.self])
    }
  }
}
