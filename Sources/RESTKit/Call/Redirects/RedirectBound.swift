import Streams

/// How far a redirect may take a request, whatever its API says: what has a credential in its body
/// would hand that on, since 307 and 308 keep the body.
enum RedirectBound: Sendable {
  /// As the API says.
  case none
  /// Not away from its origin.
  case origin
  /// Nowhere.
  case place

  /// In the context of what asks for a token.
  enum Key: SubscriptionContextKey {
    static var defaultValue: RedirectBound { .none }
  }
}
