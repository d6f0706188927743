import Foundation
import Streams

// What a refresh and a revocation ask the session's grant for.
extension TokenSession {
  /// Requests a token, and repeats the request once if the response was lost.
  ///
  /// The lost response may have used up the refresh token. Servers that rotate refresh tokens
  /// accept the previous one again in that case.
  func token(renewing old: Credential?) -> AnyPublisher<GivenToken, any Error> {
    Deferred { [self] in
      let date = now.date
      return response(renewing: old)
        .tryCatch { [self] failure in
          guard case GrantError.responseLost = failure else { throw failure }
          return response(renewing: old)
        }
        .context(RefreshingSessionKey.self, tag)
        .context(RedirectBound.Key.self, .place)
        .context(UrgentExchange.self, true)
        .first()
        .map { GivenToken(askedAt: date, response: $0) }
    }
    .eraseToAnyPublisher()
  }

  private func response(renewing old: Credential?) -> Expiring<TokenResponse> {
    inTime(
      CredentialRequest(for: tag) { [self] in
        grant.token(renewing: old).mapError { $0 }.eraseToAnyPublisher()
      }
      .eraseToAnyPublisher())
  }

  /// Limits the time of one step of a refresh.
  ///
  /// Each step has its own limit: a long wait for the turn must not abort a token request that was
  /// sent, since the server may use up the refresh token for it.
  func inTime<Value: Sendable>(_ step: AnyPublisher<Value, any Error>) -> Expiring<Value> {
    let limit = options.refreshTimeout
    let scheduler =
      TestTime.current?.timing(scheduler, by: "TokenSession") { "A refresh" } ?? scheduler
    return Expiring(step, after: limit, scheduler: scheduler) {
      TokenSessionError.refreshTimedOut(after: limit)
    }
  }
}

/// A token as the session's grant has brought it.
struct GivenToken: Sendable {
  /// The time of the request, from which the token's lifetime counts.
  let askedAt: Date
  let response: TokenResponse

  /// The credential with this token, which keeps what the response does not name.
  ///
  /// - Throws: `RefreshError` for a token that no request can carry.
  func credential(renewing old: Credential?) throws(RefreshError) -> Credential {
    let token = response.accessToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw .emptyAccessToken }
    if let name = response.unusableToken { throw .unusableToken(name: name) }
    // An empty refresh token replaces nothing.
    let refreshToken = response.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    return Credential(
      accessToken: token, refreshToken: refreshToken ?? old?.refreshToken,
      issuedAt: askedAt, expiresAt: response.lifetime.map { askedAt + $0.inSeconds },
      scope: response.scope ?? old?.scope, account: old?.account,
      extras: (old?.extras ?? [:]).merging(response.extras) { _, new in new })
  }
}
