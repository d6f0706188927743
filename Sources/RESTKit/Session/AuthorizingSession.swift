import Streams

/// The context key of the session that authorizes a whole stream.
enum AuthorizingSessionKey: SubscriptionContextKey {
  static var defaultValue: TokenSession? { nil }
}

extension SubscriptionContext {
  /// The downstream session whose credential the requests carry, or nil if there is none.
  fileprivate var authorizingSession: TokenSession? {
    guard let session = self[AuthorizingSessionKey.self],
      self[SessionBinding.Key.self]?.session === session
    else { return nil }
    return session
  }
}

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// This connection, authorized by the session of its stream.
  ///
  /// Each connection thus carries the token that is current when it begins, and a refused token ends that
  /// connection alone. The stream keeps its place, as under the session of its API.
  var underAuthorizingSession: AnyPublisher<TransferEvent, any Error> {
    let connection = eraseToAnyPublisher()
    return DeferredInContext { context in
      context.authorizingSession.map { $0.authorize(connection) } ?? connection
    }
    .eraseToAnyPublisher()
  }
}
