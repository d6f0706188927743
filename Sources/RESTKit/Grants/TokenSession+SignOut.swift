import Streams

extension TokenSession {
  /// Signs out and revokes the credential at the server.
  ///
  /// This session forgets the credential when it is subscribed to, as ``signOut()`` does, before
  /// anything is sent. The network can neither delay nor prevent that. Then the revocation runs. A
  /// running refresh is stopped. The session does not know the token of that refresh; the token
  /// ends with the refresh token at servers that follow RFC 7009 §2.1.
  ///
  /// A revocation that requires an access token, such as a ``ClosureRevocation``, gets a new one
  /// from the session's grant if the credential's has expired, and once if the server answers 401.
  ///
  /// The credential belongs to the publisher until it is revoked. A further subscription, such as
  /// one of a retry, revokes the same credential, and signs out nobody who has signed in meanwhile.
  ///
  /// - Demand: The sign-out begins with the subscription. The one value waits for demand.
  /// - Errors: The error of the token store, after the revocation has ended; otherwise the
  ///   revocation's failure, or that of the grant which was to bring the access token. The user is
  ///   signed out in any case.
  /// - Completion: With the value, when the revocation has finished; at once if no user was signed
  ///   in.
  /// - Cancellation: Ends the revocation. The user is signed out in any case, and the publisher
  ///   keeps the credential.
  /// - Delivery: On the thread on which the revocation delivers.
  ///
  /// - Parameter revocation: The revocation that the server receives.
  public func signOut(
    revokingWith revocation: any TokenRevocation
  ) -> AnyPublisher<Void, any Error> {
    let pending = PendingRevocation()
    return Deferred { [self] in
      let stored =
        pending.current == nil ? takeCredential(for: pending) : Result(catching: writeThrough)
      let run = RevocationRun(session: self, revocation: revocation, pending: pending)
      let revoked =
        pending.current.map { run.outcome(for: $0) }
        ?? Just(()).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      return
        revoked
        .mapError { stored.failure ?? $0 }
        .tryMap { try stored.get() }
        .context(RefreshingSessionKey.self, tag)
        .context(RedirectBound.Key.self, .place)
    }
    .eraseToAnyPublisher()
  }

  /// Signs out, and leaves the credential to revoke, if there is one.
  ///
  /// - Returns: The store's result.
  private func takeCredential(for pending: PendingRevocation) -> Result<Void, any Error> {
    // Another session that shares the store may have renewed this session's credential.
    let found = Result { try store.read() }
    let unknown = Lock<(any Error)?>(nil)
    update { machine, _ in
      // In one step with the sign-out, so that a second subscription finds the one or the other.
      switch machine.credential(insteadOf: found) {
      case .success(let credential): pending.begin(with: credential)
      case .failure(let error): unknown.withLock { $0 = error }
      }
      return machine.signOut()
    }
    let written = Result(catching: writeThrough)
    // The credential to revoke is unknown.
    return unknown.withLock(\.self).map { .failure($0) } ?? written
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
