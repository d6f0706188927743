import Streams

/// In the context of a stream: the session that authorizes all of it.
enum AuthorizingSessionKey: SubscriptionContextKey {
  static var defaultValue: TokenSession? { nil }
}

extension SubscriptionContext {
  /// The session downstream whose credential the requests carry; nil where there is none.
  fileprivate var authorizingSession: TokenSession? {
    guard let session = self[AuthorizingSessionKey.self],
      let credential = self[CredentialKey.self] as? IssuedCredential,
      credential.span.session == session.tag
    else { return nil }
    return session
  }
}

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// This connection under the session that authorizes the stream that it is one of.
  ///
  /// So each has the token of its moment, and a refused one ends the connection alone: the stream keeps its
  /// place, as under the session of its API.
  var underAuthorizingSession: AnyPublisher<TransferEvent, any Error> {
    let connection = eraseToAnyPublisher()
    return DeferredInContext { context in
      context.authorizingSession.map { $0.authorize(connection) } ?? connection
    }
    .eraseToAnyPublisher()
  }
}
