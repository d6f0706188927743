import Foundation
import Streams

/// One refresh, from the turn at the store to the new token in it.
struct RefreshRun: Sendable {
  let order: RefreshOrder
  let session: TokenSession

  /// How it ended: one value.
  var outcome: AnyPublisher<RefreshOutcome, Never> {
    inTime(turn)
      .flatMap { turn in
        renewal
          .catch { Just(Self.end(with: $0)) }
          .map { outcome in
            // Before anybody goes on: a call may need a refresh of its own at once.
            turn.cancel()
            return outcome
          }
          .handleEvents(receiveCancel: { turn.cancel() })
          .setFailureType(to: (any Error).self)
      }
      .catch { Just(Self.end(with: $0)) }
      .eraseToAnyPublisher()
  }

  /// How a failure ends it: what is not the session's own word is of the grant.
  private static func end(with error: any Error) -> RefreshOutcome {
    (error as? TokenSessionError).map { .failed($0) } ?? .notGranted(GrantError(error))
  }

  private var turn: AnyPublisher<AnyCancellable, any Error> {
    session.store.refreshTurn().first()
      .mapError { TokenSessionError.storeNotReadable($0) as any Error }
      .eraseToAnyPublisher()
  }

  /// Each step has its own time: a request that has left must not be given up because the turn was
  /// long in coming, since the server may use the refresh token up for it.
  private func inTime<Value: Sendable>(
    _ step: AnyPublisher<Value, any Error>
  ) -> Expiring<Value> {
    let limit = session.options.refreshTimeout
    return Expiring(step, after: limit, scheduler: session.scheduler) {
      TokenSessionError.refreshTimedOut(after: limit)
    }
  }

  /// What there is to do once nobody else refreshes.
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

  /// Whether the store holds what somebody else put there, and what is of use.
  private func isForeign(_ found: Credential?) -> Bool {
    guard !order.isSignInUnsaved, found != order.stored, found != order.credential else {
      return false
    }
    guard let found else { return session.grant.requiresSignIn }
    guard let current = order.credential, current.account == found.account else { return true }
    return found.expiresAt.map { $0 > session.now.date } ?? true
  }

  private func renew(_ found: Credential?) -> AnyPublisher<RefreshOutcome, any Error> {
    // What is in memory only is newer than what is in the store.
    let isInMemory = order.isSignInUnsaved || found == order.stored
    let old = isInMemory ? order.credential : found
    return token(renewing: old)
      .tryMap { try store($0, renewing: old, insteadOf: found) }
      .tryCatch { try reconsider($0, after: found) }
      .eraseToAnyPublisher()
  }

  /// Asks for a token, once more if the answer was lost: the refresh token may have been used up by
  /// what got lost, and servers that rotate them take the previous one once more for that.
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
    /// When the token was asked for: what it is valid for counts from there.
    let date: Date
    let answer: TokenResponse
  }

  private func store(
    _ asked: Asked, renewing old: Credential?, insteadOf found: Credential?
  ) throws -> RefreshOutcome {
    let token = asked.answer.accessToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw RefreshError.emptyAccessToken }
    // An empty one takes nothing's place.
    let refreshToken = asked.answer.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    let new = Credential(
      accessToken: token, refreshToken: refreshToken ?? old?.refreshToken,
      expiresAt: asked.answer.lifetime.map { asked.date + $0.timeInterval },
      scope: asked.answer.scope ?? old?.scope, account: old?.account)
    do {
      if try session.store.replace(found, with: new) {
        // Nothing looks the same before a sign-in and after a sign-out.
        session.correct(new, ofVersion: order.version)
        return .renewed(new, stored: .success(()))
      }
    } catch {
      return .renewed(new, stored: .failure(error))
    }
    return .changedElsewhere(try read())
  }

  /// A refusal may be due to somebody who renewed the same credential without waiting for a turn.
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

/// In the context of what a refresh sends: the session that waits for it.
enum RefreshingSessionKey: SubscriptionContextKey {
  static var defaultValue: SessionTag? { nil }
}
