import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

/// A user whose access tokens live ten seconds, and whose refresh tokens the server takes once.
struct MatrixUser: Sendable {
  /// The users that the server knows: one for each test, because the limits are for each user.
  enum Name: String, CaseIterable, Sendable {
    case waiting, limited, around, inside, line, joins, follower, writer
  }

  let transport: ObservedTransport
  let session: TokenSession
  let wire = MatrixWire()
  private let refreshes: Refreshes
  private let watching: AnyCancellable

  init(_ name: Name) async throws {
    let transport = ObservedTransport(try TransportKind.default.makeTransport())
    let issuer = try MatrixAPI(transport: transport)
    let refreshes = Refreshes()
    session = TokenSession(
      grant: ClosureGrant { credential in
        let token = credential?.refreshToken ?? ""
        refreshes.add(token)
        return issuer.publisher(for: MatrixRefresh(token: token))
          .map(\.response)
          .mapError { error in
            // The server answers 403 to a refresh token that was used before.
            (error as? RESTError)?.isForbidden == true ? GrantError.permanent(error) : error
          }
      })
    watching = transport.callEvents.sink { [wire] in wire.add($0) }
    self.transport = transport
    self.refreshes = refreshes
    try await session.signIn(with: Password(issuer: issuer, user: name.rawValue)).value
  }

  /// The refresh tokens that were sent, in order.
  var usedRefreshTokens: [String] { refreshes.tokens.withLock { $0 } }

  func api(retry: RetryPolicy? = nil, rateLimiter: RateLimiter? = nil) throws -> MatrixAPI {
    try MatrixAPI(
      transport: transport, session: session, retry: retry, rateLimiter: rateLimiter)
  }

  /// The texts in a room, the newest first.
  func texts(in room: String) async throws -> [String] {
    try await api().pages(from: RoomHistory(room: room)) { page, answer in
      answer.end.map { RoomHistory(room: page.room, from: $0) }
    }
    .allValues.flatMap { $0.chunk.compactMap(\.text) }
  }
}

private final class Refreshes: Sendable {
  let tokens = Mutex<[String]>([])

  func add(_ token: String) { tokens.withLock { $0.append(token) } }
}

/// The sign-in with a password, which is the user's name.
private struct Password: SignInGrant {
  let issuer: MatrixAPI
  let user: String

  func credential(at now: @escaping @Sendable () -> Date) -> AnyPublisher<Credential, any Error> {
    Deferred {
      let date = now()
      return issuer.publisher(for: MatrixLogin(user: user, password: user))
        .map { Credential($0.response, issuedAt: date, account: user) }
    }
    .eraseToAnyPublisher()
  }
}
