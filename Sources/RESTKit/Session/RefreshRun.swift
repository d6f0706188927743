import Foundation
import Streams

/// One refresh, from the turn at the store to the stored new token.
struct RefreshRun: Sendable {
  let order: RefreshOrder
  let session: TokenSession

  /// A publisher of one value: the outcome of the refresh.
  var outcome: AnyPublisher<RefreshOutcome, Never> {
    inTime(turn)
      .flatMap { turn in
        renewal
          .catch { Just(Self.end(with: $0)) }
          .map { outcome in
            // The turn ends before any call continues, since a call may need another refresh at once.
            turn.cancel()
            return outcome
          }
          .handleEvents(receiveCancel: { turn.cancel() })
          .setFailureType(to: (any Error).self)
      }
      .catch { Just(Self.end(with: $0)) }
      .eraseToAnyPublisher()
  }

  /// The outcome of a failure.
  ///
  /// An error that is not the session's own is the grant's.
  private static func end(with error: any Error) -> RefreshOutcome {
    (error as? TokenSessionError).map { .failed($0) } ?? .notGranted(GrantError(error))
  }

  private var turn: AnyPublisher<AnyCancellable, any Error> {
    session.store.refreshTurn().first()
      .mapError { TokenSessionError.storeNotReadable($0) as any Error }
      .eraseToAnyPublisher()
  }

  /// Limits the time of one step.
  ///
  /// Each step has its own limit: a long wait for the turn must not abort a token request that was sent,
  /// since the server may use up the refresh token for it.
  private func inTime<Value: Sendable>(
    _ step: AnyPublisher<Value, any Error>
  ) -> Expiring<Value> {
    let limit = session.options.refreshTimeout
    return Expiring(step, after: limit, scheduler: session.scheduler) {
      TokenSessionError.refreshTimedOut(after: limit)
    }
  }

  /// Reads the store and renews, once this session has the turn.
  private var renewal: AnyPublisher<RefreshOutcome, any Error> {
    Deferred {
      Result { try read() }.publisher
        .flatMap { found in
          isForeign(found)
            ? Just(.changedElsewhere(found)).setFailureType(to: (any Error).self)
              .eraseToAnyPublisher()
            : renew(found)
        }
    }
    .eraseToAnyPublisher()
  }

  /// Whether the store holds a usable credential that another session stored.
  private func isForeign(_ found: Credential?) -> Bool {
    guard !order.isSignInUnsaved, found != order.stored, found != order.credential else {
      return false
    }
    guard let found else { return session.grant.requiresSignIn }
    guard let current = order.credential, current.account == found.account else { return true }
    return found.expiresAt.map { $0 > session.now.date } ?? true
  }

  private func renew(_ found: Credential?) -> AnyPublisher<RefreshOutcome, any Error> {
    // A credential that is in memory only is newer than the stored one.
    let isInMemory = order.isSignInUnsaved || found == order.stored
    let old = isInMemory ? order.credential : found
    return token(renewing: old)
      .tryMap { try store($0, renewing: old, insteadOf: found) }
      .tryCatch { try reconsider($0, after: found) }
      .eraseToAnyPublisher()
  }

  /// Requests a token, and repeats the request once if the response was lost.
  ///
  /// The lost response may have used up the refresh token. Servers that rotate refresh tokens accept the
  /// previous one again in that case.
  private func token(
    renewing old: Credential?
  ) -> AnyPublisher<Asked, any Error> {
    Deferred { [self] in
      let date = session.now.date
      return answer(renewing: old)
        .tryCatch { failure in
          guard case GrantError.answerLost = failure else { throw failure }
          return answer(renewing: old)
        }
        .context(RefreshingSessionKey.self, session.tag)
        .context(RedirectBound.Key.self, .place)
        .first()
        .map { Asked(date: date, answer: $0) }
    }
    .eraseToAnyPublisher()
  }

  private func answer(renewing old: Credential?) -> Expiring<TokenResponse> {
    inTime(session.grant.token(renewing: old).mapError { $0 }.eraseToAnyPublisher())
  }

  private struct Asked: Sendable {
    /// The time of the request, from which the token's lifetime counts.
    let date: Date
    let answer: TokenResponse
  }

  private func store(
    _ asked: Asked, renewing old: Credential?, insteadOf found: Credential?
  ) throws -> RefreshOutcome {
    let token = asked.answer.accessToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw RefreshError.emptyAccessToken }
    // An empty refresh token replaces nothing.
    let refreshToken = asked.answer.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    let new = Credential(
      accessToken: token, refreshToken: refreshToken ?? old?.refreshToken,
      expiresAt: asked.answer.lifetime.map { asked.date + $0.timeInterval },
      scope: asked.answer.scope ?? old?.scope, account: old?.account)
    do {
      if try session.store.replace(found, with: new) {
        // The store looks the same before a sign-in and after a sign-out if it is empty both times.
        session.correct(new, ofVersion: order.version)
        return .renewed(new, stored: .success(()))
      }
    } catch {
      return .renewed(new, stored: .failure(error))
    }
    return .changedElsewhere(try read())
  }

  /// Checks whether a refusal has another cause: a session that renewed the same credential without waiting
  /// for a turn.
  private func reconsider(
    _ error: any Error, after found: Credential?
  ) throws -> Just<RefreshOutcome> {
    guard case GrantError.permanent = error else { throw error }
    let now = try read()
    guard now != found else { throw error }
    return Just(.changedElsewhere(now))
  }

  private func read() throws -> Credential? {
    do {
      return try session.store.read()
    } catch {
      throw TokenSessionError.storeNotReadable(error)
    }
  }
}

/// The context key of the session that waits for the requests of its refresh.
enum RefreshingSessionKey: SubscriptionContextKey {
  static var defaultValue: SessionTag? { nil }
}
