import Streams

/// Why a request reaches a transport: for who stands in for a server.
package struct CallOrigin: Sendable {
  /// What a redirect gives to the exchange it leads to, where no call counts.
  enum Key: SubscriptionContextKey {
    static var defaultValue: CallCause { .first }
  }

  /// Which attempt of its call it belongs to, from 1; redirects are part of the attempt.
  package let attempt: Int
  package let cause: CallCause

  /// - Parameter context: That of the subscriber to the transport's response.
  package init(_ context: SubscriptionContext) {
    if let last = context.call?.lastSending {
      (attempt, cause) = last
    } else {
      (attempt, cause) = (1, context[Key.self])
    }
  }
}
