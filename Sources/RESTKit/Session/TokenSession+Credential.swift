import Streams

// What a request on its way asks a session.
extension TokenSession {
  /// Whether this session's own refresh makes the call.
  func isRefreshing(in context: SubscriptionContext) -> Bool {
    context[RefreshingSessionKey.self] == tag
  }

  /// The span of the signed-in user; nil if no user is signed in or the store has not been read.
  var span: SignInSpan? { machine.withLock { $0.current?.span } }

  /// The credential of this session that a response answers; nil if its request carried none.
  func credential(answeredBy head: ResponseHead) -> IssuedCredential? {
    guard let credential = head.departure?.credential as? IssuedCredential,
      credential.span.session == tag
    else { return nil }
    return credential
  }

  /// Whether a credential is no longer the current one, because of a refresh, a replacement or a sign-out.
  func hasReplaced(_ credential: IssuedCredential) -> Bool {
    machine.withLock { $0.current !== credential }
  }

  func noteRefusal(of credential: IssuedCredential) {
    let now = self.now
    machine.withLock { $0.noteRefusal(of: credential, at: now) }
  }
}
