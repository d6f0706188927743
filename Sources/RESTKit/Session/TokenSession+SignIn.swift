import Foundation
import Streams

extension TokenSession {
  /// Signs in with a grant.
  ///
  /// The present user stays signed in until the new credential arrives.
  ///
  /// ```swift
  /// try await session.signIn(with: DeviceAuthorizationGrant(client) { print($0) }).value
  /// ```
  ///
  /// The credential is kept and stored as by ``signIn(_:)``. The latest sign-in wins: a running
  /// sign-in fails with ``SignInError/superseded`` when another one begins, or when the app calls
  /// ``signIn(_:)`` or ``signOut()``. A session that ends because its refresh was refused does not
  /// end a sign-in.
  ///
  /// - Demand: The sign-in begins with the subscription. Its one value waits for demand.
  /// - Errors: ``SignInError`` or the grant's failure; nothing has changed then. The error of the
  ///   token store; the user is signed in nevertheless, for as long as this session lives.
  /// - Cancellation: Ends the sign-in and changes nothing.
  /// - Delivery: On the thread on which the grant delivers.
  ///
  /// - Parameter grant: The grant that asks for the credential, again for each subscription.
  public func signIn(with grant: any SignInGrant) -> AnyPublisher<Void, any Error> {
    Deferred { [self] in
      let attempt = SignInAttempt()
      update { machine, _ in machine.beginSignIn(attempt) }
      return CredentialRequest(for: tag) { grant.credential(at: { self.now.date }) }
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
    try credential.checkTokens()
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
}

/// A running sign-in, until another one or the app itself supersedes it.
final class SignInAttempt: Sendable, Cancellable {
  private let ending = CurrentValueSubject<Bool, Never>(false)

  /// Ends the attempt, since another sign-in supersedes it.
  func cancel() { ending.send(true) }

  /// Returns a publisher without values that fails once another sign-in has superseded this one.
  func ending<Output: Sendable>(_ type: Output.Type) -> AnyPublisher<Output, any Error> {
    ending.filter { $0 }
      .tryMap { _ -> Output in throw SignInError.superseded }
      .eraseToAnyPublisher()
  }
}
