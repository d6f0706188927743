import Streams

/// One revocation at the server, with a new access token if it needs one.
struct RevocationRun: Sendable {
  let session: TokenSession
  let revocation: any TokenRevocation
  let pending: PendingRevocation

  /// Revokes a credential that the session has forgotten.
  func outcome(for credential: Credential) -> AnyPublisher<Void, any Error> {
    guard revocation.requiresAccessToken, credential.refreshToken?.isEmpty == false else {
      return revoked(credential)
    }
    if let end = credential.expiresAt, end <= session.now.date {
      return renewedAndRevoked(credential)
    }
    // The revocation's failure may be of a type of the app's own, without the status.
    let status = Lock<Int?>(nil)
    return revoked(credential)
      .handleHead { head in status.withLock { $0 = head.statusCode } }
      .tryCatch { error in
        guard status.withLock(\.self) == 401 else { throw error }
        return renewedAndRevoked(credential)
      }
      .eraseToAnyPublisher()
  }

  private func renewedAndRevoked(_ credential: Credential) -> AnyPublisher<Void, any Error> {
    session.token(renewing: credential)
      .mapError { ($0 as? GrantError)?.cause ?? $0 }
      .tryMap { try $0.credential(renewing: credential) }
      .flatMap { renewed in
        // A further subscription must not use the old refresh token again.
        pending.replace(credential, with: renewed)
        return revoked(renewed)
      }
      .eraseToAnyPublisher()
  }

  private func revoked(_ credential: Credential) -> AnyPublisher<Void, any Error> {
    revocation.revocation(of: credential)
      // A cancel after the value would be in the log as the end of the request.
      .last()
      .handleEvents(receiveOutput: { pending.end(of: credential) })
      .eraseToAnyPublisher()
  }
}

/// The credential that a sign-out has taken from its session, until it is revoked.
final class PendingRevocation: Sendable {
  private let credential = Lock<Credential?>(nil)

  var current: Credential? { credential.withLock(\.self) }

  func begin(with taken: Credential?) {
    guard let taken else { return }
    credential.withLock { $0 = taken }
  }

  /// - Parameter old: The credential that was renewed. When a slow renewal ends, another credential
  ///   may be pending already.
  func replace(_ old: Credential, with new: Credential) {
    credential.withLock { if $0 == old { $0 = new } }
  }

  /// - Parameter revoked: The credential of the revocation that has succeeded. A slow one may end
  ///   when another credential is pending already.
  func end(of revoked: Credential) {
    credential.withLock { if $0 == revoked { $0 = nil } }
  }
}
