import Foundation
import Streams

extension TokenSession {
  /// Signs in by a grant: whoever is signed in stays that until the new credential is there.
  ///
  /// ```swift
  /// try await session.signIn(with: DeviceAuthorizationGrant(client) { print($0) }).value
  /// ```
  ///
  /// The credential is kept and stored as by ``signIn(_:)``. The sign-in that began last counts: one
  /// that is under way fails with ``SignInError/superseded`` when another begins, and when the app calls
  /// ``signIn(_:)`` or ``signOut()``. A session that ends by itself, since its refresh was refused, ends no
  /// sign-in.
  ///
  /// - Demand: The sign-in begins with the subscription; its one value waits for demand.
  /// - Errors: ``SignInError``, or what the grant fails with; then nothing has changed. What the token
  ///   store throws; then the user is signed in all the same, for as long as this session lives.
  /// - Cancellation: Ends the sign-in and changes nothing.
  /// - Delivery: Where the grant delivers.
  ///
  /// - Parameter grant: Asks for the credential, anew for each subscription.
  public func signIn(with grant: any SignInGrant) -> AnyPublisher<Void, any Error> {
    Deferred { [self] in
      let attempt = SignInAttempt()
      update { machine, _ in machine.beginSignIn(attempt) }
      return grant.credential(at: { self.now.date })
        .context(RefreshingSessionKey.self, tag)
        .context(RedirectBound.Key.self, .place)
        .race(with: attempt.ending(Credential.self))
        .first()
        .tryMap { try self.keep($0, of: attempt) }
        .handleEvents(
          receiveCompletion: { _ in self.leave(attempt) }, receiveCancel: { self.leave(attempt) })
    }
    .eraseToAnyPublisher()
  }

  private func keep(_ credential: Credential, of attempt: SignInAttempt) throws {
    let now = self.now
    guard
      let effects = machine.withLock({ $0.signIn(credential, endOf: attempt, at: now) })
    else { throw SignInError.superseded }
    perform(effects)
    try writeThrough()
  }

  private func leave(_ attempt: SignInAttempt) {
    machine.withLock { $0.leaveSignIn(attempt) }
  }

  /// Signs out, and has the server end the credential.
  ///
  /// This session forgets the credential with the subscription, as by ``signOut()``, before anything is
  /// sent: no network can delay or prevent that. Then the revocation runs. A refresh that runs meanwhile is
  /// stopped; its token is not known here, and ends with the refresh token at servers that keep to
  /// RFC 7009 §2.1.
  ///
  /// - Demand: It all begins with the subscription; the one value waits for demand.
  /// - Errors: What the token store throws, once the revocation has ended; else what the revocation fails
  ///   with. Nobody is signed in all the same.
  /// - Completion: With the value, when the server has agreed; at once where nobody was signed in.
  /// - Cancellation: Ends the revocation; nobody is signed in all the same.
  /// - Delivery: Where the revocation delivers.
  ///
  /// - Parameter revocation: Tells the server.
  public func signOut(
    revokingWith revocation: any TokenRevocation
  ) -> AnyPublisher<Void, any Error> {
    Deferred { [self] in
      let (credential, stored) = takeCredential()
      let revoked =
        credential.map { revocation.revocation(of: $0) }
        ?? Just(()).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      return
        revoked
        .first()
        .mapError { stored.failure ?? $0 }
        .tryMap { try stored.get() }
        .context(RefreshingSessionKey.self, tag)
        .context(RedirectBound.Key.self, .place)
    }
    .eraseToAnyPublisher()
  }

  /// Signs out.
  ///
  /// - Returns: What is to be ended at the server, and how the store took it.
  private func takeCredential() -> (Credential?, Result<Void, any Error>) {
    // Others who share the store may have renewed what this session holds.
    let found = Result { try store.read() }
    let taken = Lock<Result<Credential?, any Error>>(.success(nil))
    update { machine, _ in
      let credential = machine.credential(insteadOf: found)
      taken.withLock { $0 = credential }
      return machine.signOut()
    }
    let written = Result { try writeThrough() }
    switch taken.withLock({ $0 }) {
    case .success(let credential): return (credential, written)
    // Nobody knows what there was to end.
    case .failure(let error): return (nil, .failure(error))
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
